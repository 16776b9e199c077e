"""How much a piece of text says: its words without small words, cut to stems."""

from functools import lru_cache

from .languages import IDLE, PARTICLES, STOP
from .words import is_unspaced, tokens, unquoted

STEM = 5
"""Letters that are kept of a word, so that its inflections coincide."""

_NO_PARTICLE = str.maketrans(PARTICLES, " " * len(PARTICLES))


@lru_cache(maxsize=1024)
def stems(text: str) -> frozenset[str]:
    """The distinct content words of a statement as stems; pairs of characters where no spaces are written."""
    return frozenset(stem for token in set(tokens(unquoted(text))) - STOP for stem in _stems(token))


def overlap(one: frozenset[str], two: frozenset[str]) -> float:
    """Jaccard overlap of two sets in [0, 1]; 0 if both are empty."""
    shared = len(one & two)
    return shared / (len(one) + len(two) - shared) if one or two else 0.0


@lru_cache(maxsize=4096)
def weight(words: str) -> int:
    """How many content words a piece of text holds; two characters count as a word where no spaces are written."""
    return sum(_heft(token) for token in tokens(words))


def length(text: str) -> int:
    """How many words a text holds in all, counted likewise."""
    return sum((len(token) + 1) // 2 if is_unspaced(token) else 1 for token in tokens(text))


@lru_cache(maxsize=8192)
def _stems(token: str) -> list[str]:
    if is_unspaced(token):
        runs = token.translate(_NO_PARTICLE).split()
        return [run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1))]
    if len(token) > 3:
        return [token.rstrip("s")[:STEM]]
    return [token] if len(token) > 2 or token.isdigit() else []


def _heft(token: str) -> int:
    if is_unspaced(token):
        return (len(token.translate(_NO_PARTICLE).replace(" ", "")) + 1) // 2
    return int(token not in STOP and token not in IDLE)
