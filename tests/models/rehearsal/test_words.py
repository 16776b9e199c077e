"""The words of the rehearsal: the same in every language, known again when they are quoted."""

from string import Formatter

import pytest
from moot.models.rehearsal.stock import load_stock
from moot.prompts import load_table


def slots(found: object) -> object:
    """The shape of a table of words: keys, lengths, and the slots of each phrase."""
    if isinstance(found, dict):
        return {key: slots(one) for key, one in found.items()}
    if isinstance(found, list):
        return [slots(one) for one in found]
    return {hole for _, hole, _, _ in Formatter().parse(str(found)) if hole} - {"plan", "rest"}


@pytest.mark.parametrize("language", ["es", "zh"])
def test_the_stock_is_as_large_in_every_language(language: str) -> None:
    free = ("keywords", "leanings")
    tables = [load_table("rehearsal", tag) for tag in ("en", language)]
    english, other = ({key: one for key, one in words.items() if key not in free} for words in tables)
    assert slots(other) == slots(english)


@pytest.mark.parametrize("language", ["en", "es", "zh"])
def test_an_argument_is_known_again_by_its_words(language: str) -> None:
    every = [one for side in load_stock(language).arguments.values() for one in side]
    assert len(every) >= 60
    for one in every:
        assert load_stock(language).find_argument(one.claim) == one
        assert {name for name in load_stock(language).phrases["slots"] if f"{{{name}}}" in one.ground}
