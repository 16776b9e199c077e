"""Whether work grows with its input and no faster."""

import gc
import time
from collections.abc import Callable

ROUNDS = 5
"""Measurements of which the least counts: a busy machine makes some of them too large, and none too small."""


def growth(work: Callable[[str], object], text: Callable[[int], str], size: int) -> float:
    """How many times the processor time of `work` grows when its text is doubled.

    About 2 where work is linear, about 4 where it is quadratic.
    """
    gc.disable()
    try:
        return min(_spent(work, text(2 * size)) / max(_spent(work, text(size)), 1e-4) for _ in range(ROUNDS))
    finally:
        gc.enable()


def _spent(work: Callable[[str], object], text: str) -> float:
    began = time.thread_time()
    work(text)
    return time.thread_time() - began
