"""The reference stopping rule: seven phrases, overlap of long words, short statements. Kept for comparison.

It is known to misfire: "you're right that …, but …" counts as a concession, and two people who argue about one topic
share its long words without repeating themselves.
"""

from itertools import combinations
from statistics import fmean

from .finding import Finding, Transcript

PHRASES = (
    "you're right",
    "i agree",
    "fair point",
    "i concede",
    "you've convinced me",
    "i accept your argument",
    "you make a valid point",
)
"""Looked for as substrings of the lower-cased last statement, in this order."""

WINDOW = 4
OVERLAP = 0.6
"""Mean Jaccard overlap of the long words that must be exceeded."""
FEW_WORDS = 20


def by_reference(talk: Transcript) -> Finding | None:
    """Concession, repetition, disengagement, in this order, over the last four statements."""
    texts = [text.lower().replace("’", "'") for _, text in talk.turns[-WINDOW:]]
    return _concession(texts, talk) or _repetition(texts, talk) or _disengagement(texts, talk)


def _concession(texts: list[str], talk: Transcript) -> Finding | None:
    phrase = next((phrase for phrase in PHRASES if texts and phrase in texts[-1]), None)
    return Finding("concession_detected", [len(talk.turns) - 1], phrase) if phrase else None


def _repetition(texts: list[str], talk: Transcript) -> Finding | None:
    longer = [{word for word in text.split() if len(word) > 4} for text in texts]
    overlaps = [len(one & two) / len(one | two) for one, two in combinations(longer, 2) if one and two]
    if not overlaps or fmean(overlaps) <= OVERLAP:
        return None
    turns = list(range(len(talk.turns) - len(texts), len(talk.turns)))
    return Finding("stalemate_repetition", turns, talk.turns[-1][1], fmean(overlaps), OVERLAP)


def _disengagement(texts: list[str], talk: Transcript) -> Finding | None:
    lengths = [len(text.split()) for text in texts[-2:]]
    if len(lengths) < 2 or max(lengths) >= FEW_WORDS:
        return None
    turns = [len(talk.turns) - 2, len(talk.turns) - 1]
    return Finding("stalemate_disengagement", turns, talk.turns[-1][1], max(lengths), FEW_WORDS)
