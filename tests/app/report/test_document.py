"""A run as a document, a transcript, Markdown; commands spelled to be run."""

import sys
from pathlib import Path
from typing import Any

import pytest
from moot.app.display.plain_text import format_command
from moot.app.display.transcript import format_title, render_transcript
from moot.app.display.wording import format_evidence
from moot.app.protocols.registry import PROTOCOLS, ProtocolEntry
from moot.app.report import build_page, render_markdown
from moot.app.report.document import build_document
from moot.app.report.opening import build_opening
from moot.app.saved.runs import Run
from moot.app.saved.saved_run import SavedRun
from moot.state.debate import DebateSettings
from moot.state.ending import Evidence, Outcome
from moot.state.prices import Prices
from moot.state.records import Call, Incident
from moot.state.statement import Participant, Statement

CAST = [Participant(name="PRO", role="speaks for it", persona="An optimist."), Participant(name="CON")]


def saved(**state: Any) -> SavedRun:
    """A run of two statements that ended by concession, changed as the test wants it."""
    history = [
        Statement(
            turn=1, round=1, speaker="PRO", content="# Tea <b>is</b> better.", at="2026-01-01T00:00:01Z", tokens=30
        ),
        Statement(turn=3, round=2, speaker="PRO", content="[x](javascript:y) \x1b[2J"),
    ]
    evidence = Evidence(turns=[3], quote="I concede", figure=0.9, threshold=0.6, note="confidence")
    outcome = Outcome(reason="concession_detected", evidence=evidence, headline="PRO conceded.", status="completed")
    whole = {
        "topic": "Tea\nor coffee?",
        "material": "",
        "participants": CAST,
        "settings": DebateSettings(model="openai:x", seed=4, prices=Prices(input=1_000_000, output=2_000_000)),
        "history": history,
        "incidents": [Incident(where="speak", who="CON", what="no answer in time", consequence="missed", turn=2)],
        "calls": [
            Call(purpose="statement", input_tokens=20, output_tokens=10),
            Call(purpose="synthesis", input_tokens=5),
        ],
        "outcome": outcome,
        "synthesis": "## Both\nare good [1].",
    }
    run = Run(run="debate-tea-abcd", protocol="debate", topic="Tea", started="2026-01-01T00:00:00Z", paused_ms=500)
    return SavedRun(run, whole | state, [], at="2026-01-01T00:00:03+00:00")


def test_the_document_is_the_envelope() -> None:
    document = build_document(saved())
    assert {key: document[key] for key in ("run", "protocol", "model", "seed", "rehearsal", "status")} == {
        "run": "debate-tea-abcd",
        "protocol": "debate",
        "model": "openai:x",
        "seed": 4,
        "rehearsal": False,
        "status": "completed",
    }
    assert document["terminationReason"] == "concession_detected"
    assert document["evidence"]["turns"] == [3]
    assert [turn["turnNumber"] for turn in document["turns"]] == [1, 3]
    assert document["turns"][0]["persona"] == "An optimist."
    assert (document["totalTokens"], document["totalCalls"], document["totalTimeMs"]) == (35, 2, 2500)
    assert document["totalCost"] == pytest.approx(45)
    assert document["incidents"][0]["who"] == "CON"


def test_an_unfinished_run_says_so() -> None:
    document = build_document(saved(outcome=None, synthesis=""))
    assert (document["status"], document["terminationReason"], document["evidence"]) == ("unfinished", None, None)
    assert "Unfinished; statements so far: 2." in render_transcript(document)


def test_the_transcript_reads_from_top_to_bottom() -> None:
    text = render_transcript(build_document(saved()))
    assert text.startswith("Debate: Tea or coffee?\nPRO: speaks for it\nCON\n\n[1] PRO\n# Tea")
    assert text.index("[3] PRO") < text.index("PRO conceded.") < text.index("## Both")
    assert "Evidence: turn 3; “I concede”; confidence: 0.9 (threshold 0.6)." in text
    assert "\x1b" not in text


def test_the_transcript_names_each_incident_that_its_headline_only_counts() -> None:
    incidents = [
        Incident(where="statement", who="PRO", what="the answer reached its length limit", turn=1, severity="degraded"),
        Incident(
            where="ballot", who="CON", what="it names no option", consequence="no valid ballot", severity="degraded"
        ),
        Incident(where="statement", who="CON", what="it was late", consequence="missed", turn=2, severity="degraded"),
        Incident(where="statement", who="CON", what="it was empty", consequence="asked again", turn=2),
    ]
    text = render_transcript(build_document(saved(incidents=incidents)))
    assert (
        "\nPRO, statements, turn 1: the answer reached its length limit\nCON, ballots: it names no option\nCost: "
        in text
    )


@pytest.mark.parametrize(
    ("language", "evidence", "line"),
    [
        ("en", Evidence(figure=5, quote="Try it.", note="outright"), "Evidence: won outright; votes counted: 5."),
        ("en", Evidence(figure=0, note="no_quorum"), "Evidence: no quorum."),
        ("en", Evidence(quote="Q", figure=3, note="calls made"), "Evidence: “Q”; calls made: 3."),
        ("en", Evidence(turns=[3], figure=3), "Evidence: turn 3; figure: 3."),
        (
            "es",
            Evidence(turns=[6], quote="Me rindo.", figure=5, threshold=2, note="declarations that concede"),
            "Evidencia: turno 6; “Me rindo.”; declaraciones que ceden: 5 (umbral 2).",
        ),
        (
            "es",
            Evidence(turns=[2], figure=0.05, threshold=0.1, searched=18),
            "Evidencia: turno 2; mayor relevancia entre 18 artículos: 0.05 (umbral 0.1).",
        ),
        (
            "es",
            Evidence(turns=[2], figure=0.05, threshold=0.1, note="lexical, 18 papers"),
            "Evidencia: turno 2; lexical, 18 papers: 0.05 (umbral 0.1).",
        ),
        (
            "zh",
            Evidence(turns=[3, 4], figure=0.31249, threshold=0.25, note="share of own earlier words"),
            "依据：发言 3、4；与自己先前用词重合的比例：0.312（阈值 0.25）。",
        ),
    ],
)
def test_the_evidence_is_told_in_the_words_of_the_run_s_language(language: str, evidence: Evidence, line: str) -> None:
    assert format_evidence(evidence.model_dump(), language) == line


def test_a_long_quotation_is_cut_between_words_where_it_only_stands_as_evidence() -> None:
    line = format_evidence(Evidence(turns=[3], quote="many words " * 50).model_dump(), "en")
    assert len(line) < 190
    assert line.endswith(" many...”.") or line.endswith(" words...”.")


def test_a_protocol_that_has_no_word_of_its_own_goes_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROTOCOLS, "salon", ProtocolEntry("salon", "Twelve decide."))
    document = build_document(saved()) | {"protocol": "salon", "synthesis": "It was the gardener."}
    assert format_title("salon", "Was it the butler?", "en") == "Salon: Was it the butler?"
    assert build_opening(build_page(document)).protocol == "Salon"
    assert "## Synthesis\n\nIt was the gardener." in render_markdown(document)


def test_a_rehearsal_begins_with_its_label_in_every_form() -> None:
    rehearsed = build_document(saved(outcome=Outcome(reason="closed", headline="…", rehearsal=True)))
    assert rehearsed["rehearsal"] is True
    assert render_transcript(rehearsed).startswith("Rehearsal")
    assert render_markdown(rehearsed).startswith("> Rehearsal")


def test_a_page_of_markdown_begins_with_the_verdict_and_has_the_synthesis_before_the_conversation() -> None:
    cast = [Participant(name="PRO"), Participant(name="CON")]
    text = render_markdown(build_document(saved(participants=cast)))
    texts = [
        "# Debate",
        "**PRO conceded to CON in turn 3.**",
        "- **PRO**",
        "Evidence: turn 3",
        "## Synthesis",
        "## 1 · PRO",
    ]
    assert [text.index(content) for content in texts] == sorted(text.index(content) for content in texts)


def test_a_page_of_markdown_says_what_the_run_cost_unless_it_was_rehearsed() -> None:
    cost = "Cost: 45.00, 2 calls, 35 tokens"
    assert cost in render_markdown(build_document(saved()))
    rehearsed = build_document(saved()) | {"rehearsal": True}
    assert "Cost:" not in render_markdown(rehearsed)


def test_a_pages_own_headings_are_in_the_language_of_the_run() -> None:
    spanish = build_document(saved(settings=DebateSettings(model="openai:x", language="es")))
    heads = [line for line in render_markdown(spanish).splitlines() if line.startswith("## ") and "·" not in line]
    assert heads == ["## Final", "## Síntesis", "## Incidentes"]


def test_what_was_said_cannot_become_markup_of_the_markdown_page() -> None:
    text = render_markdown(build_document(saved(participants=[Participant(name="PRO *x*", role="<script>")])))
    assert text.count("\n# ") + text.startswith("# ") == 1
    assert "\\# Tea &lt;b>is&lt;/b> better." in text
    assert "**PRO \\*x\\***: \\<script\\>" in text
    assert "\n#### Both" in text, "a synthesis has an outline of its own, below the page's"
    assert "no answer in time" in text


@pytest.mark.parametrize(
    ("called", "db", "spelled"),
    [
        (".venv/bin/moot", "", ".venv/bin/moot show debate-x"),
        ("/opt/my tools/moot", "", "'/opt/my tools/moot' show debate-x"),
        ("moot", "my runs.db", "moot show debate-x --db 'my runs.db'"),
        ("/usr/lib/python3/moot/__main__.py", "", "moot show debate-x"),
    ],
)
def test_commands_are_spelled_as_this_one_was_called(
    called: str, db: str, spelled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [called, "debate"])
    assert format_command("show", "debate-x", db=db) == spelled


def test_commands_are_spelled_moot_where_that_finds_this_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "moot"
    program.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [str(program), "debate"])
    assert format_command("show", "debate-x") == "moot show debate-x"
