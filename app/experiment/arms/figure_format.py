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


def format_points(value: float) -> str:
    """Format a difference in percentage points, with its sign."""
    return f"{round(100 * value, 1) + 0.0:+.1f}".replace("-", "−")


def format_end(end: float | None) -> str:
    """Format the end of an interval of a difference in points, within the possible range."""
    return NO_FIGURE if end is None else format_points(clamp_end(end))


def format_interval(estimate: IntervalEstimate) -> str:
    """Format the interval of a difference in points; empty without an interval."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f" [{format_end(estimate.low)}, {format_end(estimate.high)}]"
