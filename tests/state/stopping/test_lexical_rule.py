"""The reference rule, exactly: seven phrases, overlap of long words, short statements; in this order."""

import pytest
from moot.state.stopping.concession import CONCESSION_PHRASES, find_conceding_sentence
from moot.state.stopping.lexical_rule import find_ending

REST = "So it is, and so it will be, as far as one can see, for all of us who live in the city now."
OPENING = [("PRO", f"Trams carry more passengers. {REST}"), ("CON", f"Parking finances theatres. {REST}")] * 2


def find_reason(*texts: str) -> str | None:
    ending = find_ending([*OPENING[: max(0, 4 - len(texts))], *(("PRO", text) for text in texts)])
    return ending and ending.reason


@pytest.mark.parametrize("phrase", CONCESSION_PHRASES)
def test_each_phrase_is_a_substring_of_the_lower_cased_last_statement(phrase: str) -> None:
    ending = find_ending([*OPENING, ("PRO", f"Well, {phrase.upper().replace(chr(39), '’')}, but no. {REST}")])
    assert ending is not None
    assert (ending.reason, ending.strategy, ending.evidence.turns) == ("concession_detected", "lexical", [5])
    assert ending.evidence.quote == phrase


def test_the_overlap_of_words_longer_than_four_characters_has_to_exceed_three_fifths() -> None:
    same, words = "alpha bravo delta gamma omega", f"{REST} {REST}"
    assert find_reason(*[f"{same} {words}"] * 4) == "stalemate_repetition"
    short = "a b c d e f g h i j k l m n o p q r s t"
    assert find_reason(*(f"{short} alpha bravo gamma {word}" for word in ("delta", "delta", "omega", "omega"))) == (
        "stalemate_repetition"
    )
    assert find_reason(*(f"{short} alpha bravo gamma{end}" for end in ("", " delta omega", "", " delta omega"))) == (
        "stalemate_repetition"
    )
    assert find_reason(*(f"{short} alpha {word}" for word in ("bravo", "delta", "omega", "gamma"))) is None
    assert find_reason(*[short] * 4) is None, "pairs with an empty set are skipped"


def test_two_statements_of_fewer_than_twenty_words_are_a_disengagement() -> None:
    nineteen = " ".join("abcdefghijklmnopqrs")
    assert find_reason(nineteen, nineteen) == "stalemate_disengagement"
    assert find_reason(nineteen, f"{nineteen} t") is None


def test_nothing_is_found_before_four_statements_stand() -> None:
    assert find_ending([("PRO", "I concede."), ("CON", "I agree."), ("PRO", "Fair point.")]) is None
    assert find_ending([]) is None


def test_it_says_that_it_is_a_heuristic() -> None:
    assert "heuristic" in (find_ending.__doc__ or "")


def test_the_conceding_sentence_is_in_the_speakers_own_words() -> None:
    assert find_conceding_sentence("No. Fair point, Ada; but no. Yes.") == "Fair point, Ada; but no."
    assert find_conceding_sentence("You said “I agree”. I did not.") == ""
