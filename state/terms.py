"""Terms for comparing texts by words, for scripts with and without spaces between words.

Case and width do not matter, and English plurals become singulars (the S-stemmer of Harman, "How effective is
suffixing?", JASIS 42(1), 1991). Han, kana and hangul runs become overlapping pairs of characters. For the search in
Chinese texts, pairs work as well as dictionary words (Nie, Gao, Zhang and Zhou, "On the use of words and n-grams for
Chinese information retrieval", IRAL 2000). Function words of English, Spanish and Chinese are left out.
"""

import re
import unicodedata

_IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af"
_CHARACTER_RUN = re.compile(rf"[{_IDEOGRAPHS}]+|[^\W_{_IDEOGRAPHS}]+")
_BROKEN_LINE = re.compile(rf"(?<=[{_IDEOGRAPHS}])\s+(?=[{_IDEOGRAPHS}])")
_IDEOGRAPH = re.compile(rf"[{_IDEOGRAPHS}]")

_FUNCTION_WORDS = """
    a about all also an and any are as at be been but by can could did do does for from had has have how i if in
    into is it its may me more most my no not of on or our should so some such than that the their them then there
    these they this those to was we were what when where which while who whom whose why will with would you your al
    como cómo con cual cuál cuales cuáles cuando de del desde donde dónde el en es esta este esto la las lo los más
    o para pero por que qué quien quién se ser si sin sobre son su sus un una unas uno unos y
"""
_FUNCTION_WORD_SET = frozenset(_FUNCTION_WORDS.split())
_FUNCTION_PARTICLES = re.compile(
    "为什么|怎么样|有没有|是不是|会不会|能不能|是否|能否|什么|如何|怎样|怎么|哪些|哪种|哪个|多少|应该|应当|可以|可能|"
    "以及|关于|对于|还是|或者|并且|因此|因为|所以|这些|那些|一种|一个|我们|他们|[的了吗呢吧和与或及在是有对把被为从到之其并也]"
)


def extract_terms(text: str) -> list[str]:
    """Return the terms of `text` in order, with repetitions: words, and pairs of neighbouring ideographs."""
    normalized_text = _BROKEN_LINE.sub("", unicodedata.normalize("NFKC", text).casefold())
    return [term for run in _CHARACTER_RUN.findall(normalized_text) for term in _split_run(run)]


def is_ideograph(character: str) -> bool:
    """Return whether a character belongs to a script written without spaces between words."""
    return _IDEOGRAPH.match(character) is not None


def _split_run(run: str) -> list[str]:
    if not is_ideograph(run[0]):
        return [] if run in _FUNCTION_WORD_SET else [_strip_plural(run)]
    parts = filter(None, _FUNCTION_PARTICLES.split(run))
    return [part[i : i + 2] for part in parts for i in range(max(1, len(part) - 1))]


def _strip_plural(word: str) -> str:
    """Return `word` without an English plural ending, by the first applicable of Harman's three rules."""
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    ends_in_es = word.endswith("es") and not word.endswith(("aes", "ees", "oes"))
    ends_in_s = word.endswith("s") and not word.endswith(("us", "ss"))
    return word[:-1] if ends_in_es or ends_in_s else word
