"""Whether work grows with its input and no faster."""

import gc
import time
from collections.abc import Callable


def growth(work: Callable[[str], object], text: Callable[[int], str], size: int) -> float:
    """How many times the processor time of `work` grows when its text is doubled, at their best of three.

    About 2 where work is linear, about 4 where it is quadratic.
    """
    gc.disable()
    try:
        once, twice = (min(_spent(work, text(times * size)) for _ in range(3)) for times in (1, 2))
    finally:
        gc.enable()
    return twice / max(once, 1e-4)


def _spent(work: Callable[[str], object], text: str) -> float:
    began = time.thread_time()
    work(text)
    return time.thread_time() - began
