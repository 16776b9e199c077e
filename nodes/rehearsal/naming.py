"""The words by which a statement is named afterwards: some that it leaned on, as they are spelled there."""

import re
from collections import Counter

from ...state.terms import terms
from .quoting import HAN, STRIP, clauses_of, own_sentences, size
from .stock import Stock

_WORD = re.compile(r"[^\W\d_]{5,}")
_CITED = re.compile(r"[“\"«「]([^“”\"«»「」]{1,60})[”\"»」]")
BRIEF = 20
"""A statement under so many words is about what it names in quotation marks."""
MOST_WORDS, MOST_IDEOGRAPHS = 7, 14
"""Where a claim is cut off when it serves as a name."""


def leaning(text: str, stock: Stock, avoid: str = "") -> str:
    """What a statement leans on: what a short one names, the claim it argued last, else its most frequent word."""
    if size(text) < BRIEF and (cited := _CITED.search(text)):
        return cited[1]
    for argument in reversed(stock.argued_in(text)):
        if claim := next((one for one in clauses_of(text) if argument.mark in one), ""):
            return _brief(claim)
    return frequent(text, avoid)


def _brief(claim: str) -> str:
    words = claim.split()
    if HAN.search(claim):
        return claim if len(claim) <= MOST_IDEOGRAPHS else f"{claim[:MOST_IDEOGRAPHS]}…"
    return claim if len(words) <= MOST_WORDS else f"{' '.join(words[:MOST_WORDS])}…"


def frequent(text: str, avoid: str) -> str:
    """The longest of the most frequent words of a text; in Chinese a short clause."""
    bare = text.strip(STRIP)
    if HAN.search(text):
        fit = [one for one in clauses_of(text) if 2 <= len(one) <= 10]
        return min(fit, key=lambda one: (abs(len(one) - 6), one), default=bare[:6])
    body = " ".join(own_sentences(text))
    known = set(terms(body)) - set(terms(avoid))
    counts = Counter(word for word in _WORD.findall(body) if known.intersection(terms(word)))
    return max(counts, key=lambda word: (counts[word], len(word), word), default=(bare.split() or ["…"])[0])
