"""Language of a question, judged by its characters and words."""

import re
from collections.abc import Mapping

_HAN_CHARACTER = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_KANA_CHARACTER = re.compile("[\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9d]")

_ENGLISH_WORDS = """
a an and are be been by can could did do does for from had has have how i in is it its may might my no of on or our
should than that the their them there they this to was we were what when where which who why will with would you
"""
_SPANISH_WORDS = """
a al como con cuando cuál cuáles cómo de debe deben debería deberían del donde dónde el en entre es está están este
esta hay la las le les lo los más no nos o para pero por porque pueden puede qué que quién se ser si sin sobre son su
sus también un una unos unas y
"""
_FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    "en": frozenset(_ENGLISH_WORDS.split()),
    "es": frozenset(_SPANISH_WORDS.split()),
}
"""Frequent words of each language. A word of several languages counts for each."""


def detect_language(question: str) -> str:
    """Detect the language of a question: `zh`, `es` or `en`.

    `zh`: mostly Chinese characters and no kana; a Latin word counts as one character, but letter by letter if there are
    function words. `es`: ¿ or ¡, or more Spanish than English function words. An ñ counts as one function word. All
    other questions are `en`.
    """
    text, han_count = question.casefold(), len(_HAN_CHARACTER.findall(question))
    words = re.findall(r"[^\W\d_]+", _HAN_CHARACTER.sub(" ", text))
    counts = {tag: sum(word in function_words for word in words) for tag, function_words in _FUNCTION_WORDS.items()}
    if han_count > sum(map(len, words) if any(counts.values()) else [1 for _ in words]) and not _KANA_CHARACTER.search(
        question
    ):
        return "zh"
    return "es" if re.search("[¿¡]", text) or counts["es"] + ("ñ" in text) > counts["en"] else "en"
