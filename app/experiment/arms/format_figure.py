"""Format of the figures in a report."""

from ..statistics import IntervalEstimate

NO_FIGURE = "–"


def format_estimate(estimate: IntervalEstimate, scale: float = 100, minimum: float | None = None) -> str:
    """Format a figure with its interval, within the possible range.

    `scale`: 100 for percentage points. `minimum`: lowest possible value, such as 0 for a share. `None` means −1 at
    scale 100, and no lower or upper bound at any other scale.
    """
    if estimate.value is None:
        return NO_FIGURE
    digits = 1 if scale == 100 else 3
    minimum = -1.0 if minimum is None and scale == 100 else minimum
    ends = [
        end if minimum is None else clamp_end(end, minimum) for end in (estimate.low, estimate.high) if end is not None
    ]
    value, *interval = (f"{scale * end:.{digits}f}".replace("-", "−") for end in (estimate.value, *ends))
    return f"{value} [{', '.join(interval)}]" if interval else value


def clamp_end(end: float, minimum: float = -1.0) -> float:
    """Limit the end of an interval to the range from `minimum` to 1."""
    return min(1.0, max(minimum, end))
