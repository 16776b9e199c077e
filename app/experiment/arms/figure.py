"""A figure of a report, as it is written."""

from ..statistics import Estimate

NOTHING = "–"


def told(found: Estimate, scale: float = 100) -> str:
    """A figure with its interval; one of a hundred no further than −100 and 100, which nothing can pass."""
    if found.value is None:
        return NOTHING
    digits = 1 if scale == 100 else 3
    if found.low is None or found.high is None:
        return f"{scale * found.value:.{digits}f}"
    low, high = (within(one) if scale == 100 else one for one in (found.low, found.high))
    return f"{scale * found.value:.{digits}f} [{scale * low:.{digits}f}, {scale * high:.{digits}f}]"


def within(end: float, least: float = -1.0) -> float:
    """The end of an interval, no further than a share or a difference of shares can go."""
    return min(1.0, max(least, end))
