"""The language a question is asked in, by its own words."""

import re
from collections.abc import Mapping
from dataclasses import replace

from ...state.reply import is_cjk
from ..request import Request

DEFAULT = "zh"
"""The language of a panel whose question does not tell."""

SPANISH_SIGNS = re.compile("[¿¡ñ]")

ENGLISH = """
a an and are be been by can could did do does for from had has have how i in is it its may might my no of on or our
should than that the their there they this to was we were what when where which who why will with would you
"""
SPANISH = """
a al como con cuando cuál cuáles cómo de debe deben debería deberían del donde dónde el en entre es está están este
esta hay la las le les lo los más no nos o para pero por porque pueden puede qué que quién se ser si sin sobre son su
sus también un una unos unas y
"""
WORDS: Mapping[str, frozenset[str]] = {"en": frozenset(ENGLISH.split()), "es": frozenset(SPANISH.split())}
"""The small words of each language, which any question in it has; those that several have count for each."""


def in_its_language(asked: Request) -> Request:
    """The same request; a panel whose language nobody chose is held in that of its question."""
    if asked.protocol.name != "panel" or "language" in asked.rules.model_fields_set:
        return asked
    return replace(asked, rules=asked.rules.settled(language=language_of(asked.topic)))


def language_of(question: str) -> str:
    """`zh`, `es` or `en`, by the words of the question; Chinese where they do not tell."""
    if is_cjk(question):
        return DEFAULT
    words = re.findall(r"[^\W\d_]+", question.casefold())
    found = {tag: sum(word in small for word in words) for tag, small in WORDS.items()}
    found["es"] += 2 * bool(SPANISH_SIGNS.search(question.casefold()))
    best = max(found, key=lambda tag: found[tag])
    return best if sorted(found.values())[-1] > sorted(found.values())[-2] else DEFAULT
