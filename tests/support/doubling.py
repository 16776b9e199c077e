"""Whether work grows with its input and no faster."""

import time
from collections.abc import Callable


def growth(work: Callable[[str], object], text: Callable[[int], str], size: int) -> float:
    """How many times the processor time of `work` grows when its text is doubled; the least of three measurements.

    About 2 where work is linear, about 4 where it is quadratic.
    """
    return min(_spent(work, text(2 * size)) / max(_spent(work, text(size)), 1e-4) for _ in range(3))


def _spent(work: Callable[[str], object], text: str) -> float:
    began = time.process_time()
    work(text)
    return time.process_time() - began
