"""The words of the rehearsal: the same tables in every language."""

from string import Formatter

import pytest
from moot.models.rehearsal.reply_context import MAX_KEY_WORDS
from moot.prompts import load_table
from moot.state.stopping.stalemate import MAX_ROUNDS_BACK


def list_slots(entry: object) -> object:
    """The shape of a table of words: keys, lengths, and the slots of each phrase."""
    if isinstance(entry, dict):
        return {key: list_slots(value) for key, value in entry.items()}
    if isinstance(entry, list):
        return [list_slots(value) for value in entry]
    return {slot for _, slot, _, _ in Formatter().parse(str(entry)) if slot}


@pytest.mark.parametrize("language", ["es", "zh"])
def test_the_tables_have_the_same_phrases_in_every_language(language: str) -> None:
    tables = [load_table("rehearsal", tag) for tag in ("en", language)]
    english, other = ({key: value for key, value in table.items() if key != "leanings"} for table in tables)
    assert list_slots(other) == list_slots(english)


@pytest.mark.parametrize("language", ["en", "es", "zh"])
def test_there_are_more_key_words_than_the_rounds_that_are_searched_for_repetitions(language: str) -> None:
    words = load_table("rehearsal", language)["words"]
    assert isinstance(words, list)
    assert len({word[:5] for word in words}) == len(words) > MAX_KEY_WORDS * (MAX_ROUNDS_BACK + 1)
