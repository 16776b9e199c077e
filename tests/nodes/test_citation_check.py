"""Proofs: what a synthesis has to show for its citations and quotations, in the words its writer is told."""

import pytest
from deliberations.panel import AIR, PAPERS, SHOPS
from moot.nodes.ask.call_options import Answer
from moot.nodes.citation_check import format_turn_ranges, make_synthesis_check, make_turn_check
from moot.nodes.panel.paper_check import make_paper_check
from moot.prompts import load_profiles

TEXTS = [
    ("It did not fall [@smith2024-shops].", "", "It did not fall [@smith2024-shops]."),
    ("“turnover did not fall” [@smith2024-shops]", "", "“turnover did not fall” [@smith2024-shops]"),
    ("“lost sales to the ring road” [@smith2024-shops]", "", "“lost sales to the ring road” [@smith2024-shops]"),
    ("X [@who] and [@smith2024-shops; @who].", "[@who]", "X [@who?] and [@smith2024-shops; @who?]."),
    ("见［@谁；@张伟2021-空气］。", "[@谁]", "见［@谁?；@张伟2021-空气］。"),
    ("A [@sm] b [@smith2024-shops].", "[@sm]", "A [@sm?] b [@smith2024-shops]."),
    (
        "“prices doubled at once” [@smith2024-shops].",
        "prices doubled",
        "“prices doubled at once” [?] [@smith2024-shops].",
    ),
    (
        "「二氧化氮浓度上升约两成」[@张伟2021-空气]",
        "二氧化氮浓度上升",
        "「二氧化氮浓度上升约两成」 [?][@张伟2021-空气]",
    ),
    (
        "“did not fall (much) at all” [@smith2024-shops]",
        "(much)",
        "“did not fall (much) at all” [?] [@smith2024-shops]",
    ),
]


@pytest.mark.parametrize(("text", "told", "kept"), TEXTS)
def test_a_text_may_cite_only_papers_on_the_table_and_quote_only_what_stands_in_them(
    text: str, told: str, kept: str
) -> None:
    proof = make_paper_check(PAPERS, "en")
    fault = proof.find_faults(text)
    assert told in fault
    assert bool(fault) == bool(told)
    marked, notes = proof.mark_text(text)
    assert marked == kept
    assert [note.severity for note in notes] == (["degraded"] if told else [])


def test_a_quotation_may_come_from_what_was_not_shown_of_the_paper() -> None:
    late = SHOPS.model_copy(update={"text": f"{'Filler. ' * 5000}The last words of all."})
    assert make_paper_check([late], "en").find_faults("“The last words of all” [@smith2024-shops]") == ""


def test_both_faults_are_told_at_once_in_the_writers_language() -> None:
    fault = make_paper_check([AIR], "zh").find_faults("[@谁]说“二氧化氮浓度上升约两成”[@张伟2021-空气]。")
    assert "引用了并未提供的论文：[@谁]" in fault
    assert "“二氧化氮浓度上升约两成”" in fault


def test_a_text_that_cites_nothing_is_kept_with_a_note() -> None:
    text, notes = make_paper_check(PAPERS, "en").mark_text("It depends.")
    assert (text, [note.kind for note in notes]) == ("It depends.", ["no_citation"])
    assert notes[0].severity == "recoverable"


def test_a_fault_is_refused_once_and_what_was_refused_is_kept() -> None:
    refused: list[str] = []
    check = make_synthesis_check(make_turn_check([1, 2], "en"), "en", refused)
    assert check(Answer("")) == "it was empty."
    assert "[9]" in str(check(Answer("See [9].")))
    assert check(Answer("See [8].")) is None
    assert refused == ["See [9]."]


def test_turns_that_do_not_exist_are_marked() -> None:
    text, notes = make_turn_check([1, 2, 4], "en").mark_text("As said [1, 3] and [4].")
    assert text == "As said [1, 3?] and [4]."
    assert "[3]" in notes[0].what


@pytest.mark.parametrize(("turns", "shown"), [([], ""), ([3], "3"), ([2, 1, 3], "1–3"), ([1, 2, 5], "1–2, 5")])
def test_turn_numbers_are_shown_as_spans(turns: list[int], shown: str) -> None:
    assert format_turn_ranges(turns) == shown


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "the text cites no turn"), ("zh", "没有引用任何发言"), ("es", "el texto no cita ningún turno")],
)
def test_what_is_noted_of_a_text_is_in_the_words_of_the_run(language: str, said: str) -> None:
    assert make_turn_check([1, 2], language).mark_text("Well.")[1][0].what == said
    assert "[9]" in make_turn_check([1, 2], language).mark_text("Well [9].")[1][0].what


def test_experts_keep_their_names_and_say_in_the_readers_language_who_they_are() -> None:
    roles = {tag: load_profiles("panel", tag)["experts"][0] for tag in ("en", "zh", "es")}
    assert {role.seat for role in roles.values()} == {"Google Engineer"}
    assert roles["zh"].role == "谷歌工程师，实现与工程"
    assert roles["es"].role == "ingeniero de Google, implementación e ingeniería"
