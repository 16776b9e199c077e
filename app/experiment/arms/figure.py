"""A figure of a report, as it is written."""

from ..statistics import Estimate

NOTHING = "–"


def told(found: Estimate, scale: float = 100) -> str:
    """A figure with its interval."""
    if found.value is None:
        return NOTHING
    digits = 1 if scale == 100 else 3
    if found.low is None or found.high is None:
        return f"{scale * found.value:.{digits}f}"
    return f"{scale * found.value:.{digits}f} [{scale * found.low:.{digits}f}, {scale * found.high:.{digits}f}]"
