"""Stopping rule `lexical`, for comparison: seven phrases, overlap of long words, short statements.

It is a heuristic with known errors. "You're right that …, but …" counts as a concession. Two people who argue about
one topic share its long words without repeating themselves.
"""

from collections.abc import Sequence
from itertools import combinations
from statistics import fmean

from ..ending import Ending, Evidence, cut_quote
from .concession import find_concession_phrase

EXAMINED_STATEMENTS = 4
MAX_OVERLAP = 0.6
"""Mean Jaccard overlap of long words above which statements count as repetitions."""
MIN_WORDS = 20
"""Number of words below which a statement counts as short."""


Turns = Sequence[tuple[str, str]]
"""Pairs of a speaker and a text, oldest first."""


def find_ending(turns: Turns) -> Ending | None:
    """Return the ending that the rule `lexical` finds in a transcript, or `None`.

    The heuristic misses most concessions and reports false ones. It needs at least `EXAMINED_STATEMENTS` statements.
    Turns in the evidence count from 1.
    """
    texts = [text.lower().replace("’", "'") for _, text in turns]
    if len(texts) < EXAMINED_STATEMENTS:
        return None
    return _find_concession(texts) or _find_repetition(texts) or _find_disengagement(texts)


def _find_concession(texts: Sequence[str]) -> Ending | None:
    phrase = find_concession_phrase(texts[-1])
    return _make_ending("concession_detected", texts, 1, quote=phrase) if phrase else None


def _find_repetition(texts: Sequence[str]) -> Ending | None:
    word_sets = [{word for word in text.split() if len(word) > 4} for text in texts[-EXAMINED_STATEMENTS:]]
    overlaps = [
        len(first & second) / len(first | second) for first, second in combinations(word_sets, 2) if first and second
    ]
    if not overlaps or fmean(overlaps) <= MAX_OVERLAP:
        return None
    return _make_ending(
        "stalemate_repetition", texts, EXAMINED_STATEMENTS, figure=fmean(overlaps), threshold=MAX_OVERLAP
    )


def _find_disengagement(texts: Sequence[str]) -> Ending | None:
    lengths = [len(text.split()) for text in texts[-2:]]
    if len(lengths) < 2 or max(lengths) >= MIN_WORDS:
        return None
    return _make_ending("stalemate_disengagement", texts, 2, figure=max(lengths), threshold=MIN_WORDS)


def _make_ending(
    reason: str,
    texts: Sequence[str],
    count: int,
    quote: str = "",
    figure: float | None = None,
    threshold: float | None = None,
) -> Ending:
    """Make an ending of the rule `lexical` whose evidence is the last `count` statements."""
    turns = list(range(max(0, len(texts) - count) + 1, len(texts) + 1))
    evidence = Evidence(turns=turns, quote=cut_quote(quote or texts[-1]), figure=figure, threshold=threshold)
    return Ending(reason=reason, strategy="lexical", evidence=evidence)
