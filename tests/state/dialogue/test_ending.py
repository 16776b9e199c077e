"""What the stopping rules find in plain transcripts, and what they never do."""

from types import SimpleNamespace

import pytest
from dialogues import last_words
from hypothesis import given, settings
from hypothesis import strategies as st
from moot.state.ending import TEXT_RULES, find_ending, measure_convergence

OPENING = [
    (
        "PRO",
        "A tram carries as many people as four buses with one driver, lasts three times as long and burns nothing.",
    ),
    ("CON", "The street is eleven metres wide, and nine kilometres of trench would ruin the shops that survived 2020."),
    (
        "PRO",
        "The final route follows the ring road, so the market keeps its deliveries and nobody digs in the old town.",
    ),
]
WORDS = " of" * 20


def reason(*texts: str, rule: str = "dialogue", topic: str = "") -> str | None:
    """The verdict on a debate in which these statements follow one another."""
    turns = [("PRO" if at % 2 == 0 else "CON", text) for at, text in enumerate(texts)]
    found = find_ending(turns, rule, topic=topic)
    return found.reason if found else None


def answered(text: str, topic: str = "") -> str | None:
    """The verdict after CON's answer to the opening."""
    return reason(*(said for _, said in OPENING), text, topic=topic)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([WORDS, WORDS, WORDS, "You’re right, but no" + WORDS], "concession_detected"),
        ([WORDS, WORDS, "I concede" + WORDS, "not me" + WORDS], None),
        ([f"alpha bravos charlie {at}xxxx" + WORDS for at in "0123"], None),
        ([f"alphas bravos charlie delta. {at}xxxx" + WORDS for at in "0123"], "stalemate_repetition"),
        (["alphas bravos" + WORDS, "alphas bravos" + WORDS, WORDS, WORDS], "stalemate_repetition"),
        ([WORDS, WORDS, " of" * 19, " of" * 19], "stalemate_disengagement"),
        ([WORDS, WORDS, " of" * 19, WORDS], None),
        (["same words"] * 3 + ["same words, fair point"], "concession_detected"),
        (["I agree", "I agree", "I agree"], None),
    ],
)
def test_the_reference_rule_is_followed_to_the_letter(texts: list[str], expected: str | None) -> None:
    assert reason(*texts, rule="lexical") == expected


@pytest.mark.parametrize(
    "answer",
    [
        "You're right that the route spares the market, but nobody lives along the ring road.",
        "I can't say I agree: nobody lives along the ring road.",
        "Fair point; it fails because nobody lives along the ring road.",
        "I would concede if one passenger lived along the ring road.",
        "You told the council that I was wrong about the width, and then the surveyor confirmed it.",
        "Do you agree that nobody lives along the ring road?",
        "I don't concede anything: nobody lives along the ring road.",
        "I concede nothing.",
        "I admit nothing, and I grant nothing.",
        "You wrote yourself: “I was wrong, you win.” Then why is the trench still in the plan?",
        "While I agree with the goal, nobody lives along the ring road.",
        "Nobody lives there.",
        "You've convinced me that you never read the report you keep quoting.",
        "You have persuaded me only that you have no answer to the question of the school.",
        "Me has convencido de que nunca leíste el informe que citas.",
        "Me ha convencido de que no leyó el informe que cita.",
        "Me ha convencido de que usted no ha leído el informe.",
    ],
)
def test_a_grant_that_gives_nothing_up_does_not_end_a_debate(answer: str) -> None:
    assert answered(answer) is None


@pytest.mark.parametrize(
    "answer",
    [
        "You have convinced me.",
        "You've convinced me that you are right about the market.",
        "You have convinced me that the ring road never carried a single passenger.",
        "Me has convencido de que no hay otra salida.",
        "Me has convencido de que tienes razón.",
    ],
)
def test_whoever_is_convinced_of_anything_but_the_opponents_failure_concedes(answer: str) -> None:
    assert answered(answer) == "concession_detected"


@pytest.mark.parametrize("quotes", ['"{}"', "“{}”", "«{}»", "„{}“", "「{}」", "『{}』", "\n> {}\n"])
@pytest.mark.parametrize("said", ["I was wrong and you win.", "Me rindo, tienes razón.", "你说服了我，我认输。"])
def test_a_quotation_of_the_opponent_is_nobodys_concession(quotes: str, said: str) -> None:
    assert answered(said) == "concession_detected"
    assert (
        answered(f"Your words last week: {quotes.format(said)} And still the trench is in the plan for nine km.")
        is None
    )


def test_the_motions_own_words_are_not_a_concession() -> None:
    assert answered("I was wrong, sorry.") == "concession_detected"
    assert answered("I was wrong, sorry.", "Ministers should say I was wrong more often") is None


def test_a_verdict_comes_with_its_statements_words_and_figure() -> None:
    found = find_ending([*OPENING, ("CON", "So be it: my case does not hold. I withdraw my objection.")])
    assert found is not None
    assert (found.strategy, found.evidence.turns) == ("dialogue", [4])
    assert found.evidence.quote in ("So be it: my case does not hold.", "I withdraw my objection.")
    assert (found.evidence.figure or 0) >= (found.evidence.threshold or 99)


def test_repetition_is_told_from_each_speakers_own_words_in_any_language() -> None:
    calls = "Les voitures polluent la vieille ville", "Les clients portent des sacs lourds"
    again = "La vieille ville est polluée par les voitures", "Des sacs lourds, voilà ce que portent les clients"
    new = "Oslo a fermé quarante rues en un hiver", "La livraison coûte neuf euros depuis janvier"
    assert reason(*calls, *again) == "stalemate_repetition"
    assert reason(*calls, *new) is None


def test_objects_with_speaker_and_content_are_read_like_pairs_from_the_given_number_on() -> None:
    turns = [SimpleNamespace(speaker=who, content=said) for who, said in [*OPENING, ("CON", "You win. I was wrong.")]]
    assert find_ending(turns) == find_ending([(turn.speaker, turn.content) for turn in turns])
    assert find_ending(turns) is not None
    assert find_ending(turns, min_turns=5) is None


def test_a_rule_that_does_not_exist_is_refused_with_the_names_of_those_that_do() -> None:
    with pytest.raises(ValueError, match="'lexicle' does not exist; choose one of: dialogue, lexical, never"):
        find_ending(OPENING, "lexicle")


ANY_TEXT = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=200),
    st.lists(st.sampled_from([text for _, _, text in last_words()] + ['"', "“", ", ", "? ", "\ud800"]), max_size=4).map(
        "".join
    ),
)


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), ANY_TEXT), max_size=12), st.sampled_from(sorted(TEXT_RULES)), ANY_TEXT
)
@settings(max_examples=150, deadline=None)
def test_no_text_makes_a_rule_fail_and_its_evidence_names_statements_there_are(
    turns: list[tuple[str, str]], rule: str, topic: str
) -> None:
    found = find_ending(turns, rule, topic=topic, min_turns=1)
    numbers = found.evidence.turns if found else [1]
    assert rule != "never" or found is None
    assert numbers == sorted(set(numbers))
    assert all(1 <= number <= max(1, len(turns)) for number in numbers)
    agreed = measure_convergence(turns, speakers=list("abcd"), topic=topic)
    assert [each.speaker for each in agreed.agreements] == list("abcd")
