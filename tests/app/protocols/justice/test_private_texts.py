"""Everything an experiment pays for can be seen, and what is private is marked as such."""

import html
import re
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from chats.sent_prompt import SentPrompt
from command import document, moot
from deliberations.justice import played
from moot.app.commands.show import EXPORT_FORMATS
from moot.app.export.csv_files import ESCAPE_APOSTROPHE, write_tables
from moot.app.report.document import build_document as document_of
from moot.app.saved import Run, SavedRun
from moot.prompts import LANGUAGES, load_phrases
from records.tables import read

SHORT = ("justice", "--model", "rehearsal", "--seed", "7", "--max-rounds", "1")
EACH = count()


def choosing(prompt: SentPrompt) -> str:
    """A choice with a reason nobody else gives."""
    return f"Principle: 2\nAmount: none\nCertainty: sure\nReason: {prompt.who} has reason {next(EACH)}"


def commenting(prompt: SentPrompt) -> str:
    """A comment nobody else makes."""
    return f"What strikes {prompt.who} is how far the principles lie apart."


def thinking(prompt: SentPrompt) -> str:
    """A thought nobody else has."""
    return f"{prompt.who} alone thinks thought {next(EACH)}."


@pytest.fixture(scope="module")
def saved() -> SavedRun:
    """An experiment of three, as it is saved."""
    play = played({"choice": choosing, "explanation": commenting, "reasoning": thinking})
    row = Run(run="justice-abcd", protocol="justice", topic="Justice", started="2026-01-01T00:00:00Z")
    return SavedRun(row, play.state, [], at="2026-01-01T00:01:05+00:00")


def private_in(result: dict[str, Any]) -> dict[str, list[str]]:
    """Every text an experiment paid for that no other participant was shown, by kind."""
    alone = result["phase1"].values()
    return {
        "comments": [one["principle_explanation"] for one in alone],
        "reasons": [
            application_result["choice"]["reasoning"]
            for one in alone
            for application_result in one["application_results"]
        ],
        "thoughts": [private_reasoning["text"] for private_reasoning in result["phase2"]["private_reasonings"]],
        "memories": list(result["phase2"]["final_memories"].values()),
    }


def bare(text: str) -> str:
    """A text without what sets and marks it: blanks, marks of Markdown."""
    return re.sub(r"[\s\\*]", "", text)


def test_reasonings_comments_reasons_and_memories_are_in_the_result(saved: SavedRun) -> None:
    private = private_in(document_of(saved))
    sizes = {"comments": 3, "reasons": 12, "thoughts": 3, "memories": 3}
    assert {kind: len(texts) for kind, texts in private.items()} == sizes
    assert {kind: len(set(filter(None, texts))) for kind, texts in private.items()} == sizes | {"memories": 1}


@pytest.mark.parametrize("format", ["transcript", "md", "html"])
def test_every_text_that_was_paid_for_is_shown_under_the_word_private(format: str, saved: SavedRun) -> None:
    report = document_of(saved)
    before, title, after = EXPORT_FORMATS[format](report).partition("Private: shown to no other participant")
    assert title
    section = bare(html.unescape(re.sub(r"<[^>]+>", "", after) if format == "html" else after))
    texts = private_in(report)
    for text in [one for kind in texts.values() for one in kind]:
        for line in text.splitlines():
            assert bare(line) in section, line
    for thought in texts["thoughts"]:
        assert bare(thought) not in bare(before)


def test_every_text_that_was_paid_for_is_in_a_table(saved: SavedRun, tmp_path: Path) -> None:
    report = document_of(saved)
    write_tables(report, tmp_path)
    tables = check_tables(tmp_path, private_in(report))
    private = {
        (column["table"], column["column"])
        for column in tables["columns"]
        if "No other participant saw it" in column["meaning"]
    }
    assert private == {
        ("participants", "explanation_comment"),
        ("applications", "reason"),
        ("reasonings", "text"),
        ("memories", "participant"),
    }


def check_tables(folder: Path, texts: dict[str, list[str]]) -> dict[str, list[dict[str, str]]]:
    """The tables of a folder, in which each of the texts must stand."""
    tables = read(folder)
    assert [row["explanation_comment"] for row in tables["participants"]] == texts["comments"]
    assert [row["reason"] for row in tables["applications"]] == texts["reasons"]
    assert [row["text"] for row in tables["reasonings"]] == texts["thoughts"]
    lines = [re.sub(ESCAPE_APOSTROPHE, "", row["text"]) for row in tables["memories"]]
    assert "\n".join(lines) == "\n".join(texts["memories"])
    return tables


CONDITIONS = {
    "table_spread": ("table_spread=1.5", "1.5"),
    "original_values_mode": ("original_values_mode.enabled=true", "True"),
    "min_rounds_before_vote": ("min_rounds_before_vote=1", "1"),
    "imposed_principle": ("imposed_principle=3", "3"),
    "imposed_amount": ("imposed_amount=12000", "12000"),
    "speaking_order": ("speaking_order_strategy=conversational", "conversational"),
    "memory_style": ("guidance_style=structured", "structured"),
    "remembers_reasoning": ("include_internal_reasoning=true", "True"),
    "comprehension_test": ("comprehension_test=true", "True"),
    "principle_order": ("principle_order=counterbalanced", "counterbalanced"),
    "distribution_order": ("distribution_order=counterbalanced", "counterbalanced"),
    "initiation_order": ("initiation_order=drawn", "drawn"),
    "force_vote_in_final_round": ("force_vote_in_final_round=false", "False"),
}


def test_every_condition_an_experiment_can_be_told_apart_by_has_a_column(tmp_path: Path) -> None:
    settings = [word for setting, _ in CONDITIONS.values() for word in ("--set", setting)]
    moot(*SHORT, *settings, "--set", "decision_rule=imposed", "--export", tmp_path / "out", "--quiet")
    (row,) = read(tmp_path / "out")["runs"]
    assert {column: row[column] for column in CONDITIONS} == {key: said for key, (_, said) in CONDITIONS.items()}


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_marked_as_private_in_the_language_of_the_run(language: str, tmp_path: Path) -> None:
    report = document(*SHORT, "--language", language, "--db", tmp_path / "runs.db")
    output = moot("show", report["run"], "--db", tmp_path / "runs.db").stdout
    assert load_phrases("report").translate_phrase(language, "sections.private") in output
    assert load_phrases("experiment").translate_phrase(language, "private.thought", round=1) in output
