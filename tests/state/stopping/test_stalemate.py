"""Measured stalemates: each side repeats itself, or nobody has anything left to say; in any language."""

import pytest
from dialogues import LANGUAGES, Dialogue, read_dialogues
from hypothesis import given, strategies as st
from moot.state.statement import Statement
from moot.state.statement_check import is_cjk
from moot.state.stopping.rules import list_speaker_texts
from moot.state.stopping.stalemate import find_stalemate

LABELLED = [dialogue for language in LANGUAGES for dialogue in read_dialogues(language)]
LONG = "The trams of the city carry more people every year, and the shops along the line report it with relief."
OTHER = "Parking downtown pays for the theatre, and without the theatre nobody would come after six in winter."


def find_reason(*texts: str, topic: str = "") -> str | None:
    """The stalemate of two speakers who say this by turns."""
    stalemate = find_stalemate([(("PRO", "CON")[turn % 2], text) for turn, text in enumerate(texts)], topic)
    return stalemate and stalemate.reason


@pytest.mark.parametrize("dialogue", LABELLED, ids=lambda dialogue: f"{dialogue.language}-{dialogue.name}")
def test_stalemates_are_found_and_nothing_else_is(dialogue: Dialogue) -> None:
    stalemate = find_stalemate(dialogue.turns, dialogue.topic)
    expected = dialogue.label if dialogue.label.startswith("stalemate") else None
    assert (stalemate and stalemate.reason) == expected


def test_a_talk_that_goes_on_is_ended_at_none_of_its_turns() -> None:
    going_on = [dialogue for dialogue in LABELLED if dialogue.label == "none"]
    assert len(going_on) == 25
    stops = [
        (dialogue.name, end)
        for dialogue in going_on
        for end in range(4, len(dialogue.turns))
        if find_stalemate(dialogue.turns[:end], dialogue.topic)
    ]
    assert stops == []


def test_each_side_is_compared_with_itself_and_never_with_the_other() -> None:
    assert find_reason(LONG, OTHER, LONG, OTHER) == "stalemate_repetition"
    assert find_reason(LONG, LONG, OTHER, OTHER) is None
    assert find_reason(LONG, OTHER, LONG, "Theatres elsewhere have matinees, buses and a car park on the ring.") is None


def test_what_one_quotes_is_not_what_one_says() -> None:
    quoting = f"“{LONG}” is what you keep saying; count the empty seats in January."
    assert find_reason(quoting, OTHER, f"“{LONG}”, once again; whose survey was that, and who paid?", OTHER) is None


def test_a_question_or_a_figure_is_never_silence() -> None:
    assert find_reason(LONG, OTHER, "If you say so.", "Fine.") == "stalemate_disengagement"
    assert find_reason(LONG, OTHER, "If you say so.", "Who pays?") is None
    assert find_reason(LONG, OTHER, "Only 14 of them.", "Fine.") is None


def test_the_evidence_names_the_statements_and_the_figure() -> None:
    speakers = ["CON", "PRO"] * 2
    turns = [
        Statement(turn=2 * n, round=n, speaker=speaker, content=text)
        for n, (speaker, text) in enumerate(zip(speakers, [LONG, OTHER] * 2, strict=True), 1)
    ]
    stalemate = find_stalemate(list_speaker_texts(turns))
    assert stalemate is not None
    evidence = stalemate.evidence
    assert (evidence.turns, evidence.figure, evidence.note) == ([1, 2, 3, 4], 1.0, "share of own earlier words")
    assert evidence.threshold is not None
    assert evidence.quote in (LONG, OTHER)


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.text(max_size=60)), max_size=12), st.text(max_size=30))
def test_any_text_is_measured(turns: list[tuple[str, str]], topic: str) -> None:
    stalemate = find_stalemate(turns, topic)
    assert stalemate is None or all(1 <= turn <= len(turns) for turn in stalemate.evidence.turns)
    assert (
        stalemate is None
        or stalemate.evidence.note != "share of own earlier words"
        or 0 <= (stalemate.evidence.figure or 0) <= 1
    )


def test_the_dialogues_are_in_their_languages() -> None:
    assert all(is_cjk(dialogue.turns[0][1]) == (dialogue.language == "zh") for dialogue in LABELLED)
