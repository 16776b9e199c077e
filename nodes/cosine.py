"""Cosine distance of vectors as sqlite-vec stores them: 32-bit floats, one after the other."""

import math
from array import array
from functools import lru_cache
from operator import mul


def cosine_distance(left: bytes, right: bytes) -> float | None:
    """1 − cosine, in [0, 2]; none when either has no length. Raises `ValueError` when they differ in dimensions."""
    one, other = _floats(left), _floats(right)
    if len(one) != len(other):
        raise ValueError(f"vectors of {len(one)} and {len(other)} numbers cannot be compared")
    lengths = _length(left) * _length(right)
    return 1 - sum(map(mul, one, other)) / lengths if lengths else None


@lru_cache(maxsize=4)
def _floats(blob: bytes) -> "array[float]":
    floats = array("f")
    floats.frombytes(blob)
    return floats


@lru_cache(maxsize=4)
def _length(blob: bytes) -> float:
    floats = _floats(blob)
    return math.sqrt(sum(map(mul, floats, floats)))
