"""Sentences as different people would answer, labelled by hand: none is read wrongly, and few clear ones not at all."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from moot.state.ballot import UnclearAnswerError
from moot.state.ballot.answer_parser import parse_consent
from moot.state.justice.principle import get_ballot_number
from moot.state.justice.reading.amount import read_amount
from moot.state.justice.reading.choice import read_choice
from moot.state.justice.reading.principle import read_principle
from moot.state.justice.reading.ranking import read_ranking

SENTENCES = Path(__file__).parents[2] / "data" / "readings"
UNCLEAR = "unclear"
Read = Callable[[str, str], str]


def consent(text: str, _: str) -> str:
    return "yes" if parse_consent(text) else "no"


def principle(text: str, language: str) -> str:
    return str(get_ballot_number(read_principle(text, language)))


def amount(text: str, language: str) -> str:
    return str(read_amount(text, language))


def ranking(text: str, language: str) -> str:
    ranked = read_ranking(text, language)
    return f"{''.join(str(get_ballot_number(one)) for one in ranked.order)} {ranked.certainty}"


def choice(text: str, language: str) -> str:
    chosen = read_choice(text, language)
    return f"{get_ballot_number(chosen.principle)} {chosen.constraint_amount or '-'} {chosen.certainty}"


READERS: dict[str, Read] = {
    "consent": consent,
    "principle": principle,
    "amount": amount,
    "ranking": ranking,
    "choice": choice,
}


def labelled(kind: str) -> list[tuple[str, str, str]]:
    """Language, right reading and reply of each sentence of a kind."""
    lines = (SENTENCES / f"{kind}.txt").read_text("utf-8").splitlines()
    rows = (line.split(" | ", 2) for line in lines if not line.startswith("#"))
    return [(language, right, text.replace("\\n", "\n")) for language, right, text in rows]


def heard(read: Read, text: str, language: str) -> str:
    try:
        return read(text, language)
    except UnclearAnswerError:
        return UNCLEAR


@pytest.mark.parametrize("kind", READERS)
def test_no_sentence_is_read_as_what_it_does_not_say(kind: str) -> None:
    rows = labelled(kind)
    assert len(rows) >= 150
    assert {language for language, _, _ in rows} == {"en", "es", "zh"}
    found = [(text, right, heard(READERS[kind], text, language)) for language, right, text in rows]
    assert [one for one in found if one[2] not in (one[1], UNCLEAR)] == []


@pytest.mark.parametrize("kind", READERS)
def test_nine_of_ten_clear_sentences_are_read(kind: str) -> None:
    for spoken in ("en", "es", "zh"):
        clear = [(text, right) for language, right, text in labelled(kind) if language == spoken and right != UNCLEAR]
        unread = [text for text, _ in clear if heard(READERS[kind], text, spoken) == UNCLEAR]
        assert len(unread) <= len(clear) / 10, unread


HUGE = {
    "newlines": "\n",
    "spaces": " ",
    "digits": "1",
    "numbers": "1 ",
    "lists": "3, 1, 2, 4, ",
    "commas": "1,",
    "openings": "ok, ",
    "names": "average ",
    "fillers": "the ",
    "brackets": "(",
    "letters": "a",
    "underscores": "_",
    "reasons": "because ",
    "places": "1. ",
    "certainties": "sure; ",
    "labels": "principle: ",
    "han": "最低",
    "thousands": "1,000",
    "hyphens": "a-",
    "dashes": "- ",
}


@pytest.mark.long
@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("part", HUGE)
def test_twice_the_text_takes_twice_the_time(kind: str, part: str) -> None:
    def seconds(size: int) -> float:
        text = (HUGE[part] * size)[:size]
        began = time.process_time()
        heard(READERS[kind], text, "es")
        return time.process_time() - began

    small, large = (min(seconds(size) for _ in range(3)) for size in (4_000, 16_000))
    assert large < 0.1 or large < 10 * small
    assert seconds(1_000_000) < 0.5
