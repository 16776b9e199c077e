"""Language of a question, judged by its words."""

import re
from collections.abc import Mapping
from dataclasses import replace

from ....state.statement_check import is_cjk
from ...run.request import RunRequest

DEFAULT_LANGUAGE = "zh"
"""Language of a panel whose question gives no hint."""

SPANISH_SIGNS = re.compile("[¿¡ñ]")

ENGLISH_WORDS = """
a an and are be been by can could did do does for from had has have how i in is it its may might my no of on or our
should than that the their there they this to was we were what when where which who why will with would you
"""
SPANISH_WORDS = """
a al como con cuando cuál cuáles cómo de debe deben debería deberían del donde dónde el en entre es está están este
esta hay la las le les lo los más no nos o para pero por porque pueden puede qué que quién se ser si sin sobre son su
sus también un una unos unas y
"""
FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    "en": frozenset(ENGLISH_WORDS.split()),
    "es": frozenset(SPANISH_WORDS.split()),
}
"""Frequent words of each language. A word of several languages counts for each."""


def with_question_language(request: RunRequest) -> RunRequest:
    """Return the request of a panel with the language of its question, unless a language is chosen."""
    if "language" in request.settings.model_fields_set:
        return request
    return replace(request, settings=request.settings.with_choices(language=detect_language(request.topic)))


def detect_language(question: str) -> str:
    """Detect the language of a question by its words: `zh`, `es` or `en`. Without a clear result: `zh`."""
    if is_cjk(question):
        return DEFAULT_LANGUAGE
    words = re.findall(r"[^\W\d_]+", question.casefold())
    counts = {tag: sum(word in function_words for word in words) for tag, function_words in FUNCTION_WORDS.items()}
    counts["es"] += 2 * bool(SPANISH_SIGNS.search(question.casefold()))
    best_language = max(counts, key=lambda tag: counts[tag])
    return best_language if sorted(counts.values())[-1] > sorted(counts.values())[-2] else DEFAULT_LANGUAGE
