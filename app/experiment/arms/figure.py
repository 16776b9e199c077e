"""A figure of a report, as it is written."""

from dataclasses import replace

from ....state.justice.series import wilson_interval
from ..measures import Values
from ..statistics import Estimate, mean

NOTHING = "–"


def mean_share(values: Values) -> Estimate:
    """The mean of shares with its interval; where every item came out alike, all at 0 or all at 1, with Wilson's."""
    found = mean(values)
    if found.items < 2 or found.value not in (0.0, 1.0):
        return found
    low, high = wilson_interval(int(found.value) * found.items, found.items)
    return replace(found, low=low, high=high)


def told(found: Estimate, scale: float = 100, least: float | None = None) -> str:
    """A figure with its interval, a share's or a difference of shares' no further than it can go.

    `least`: 0 for what lies between 0 and 1; none: −1 for points of a hundred, no bounds for other figures.
    """
    if found.value is None:
        return NOTHING
    digits = 1 if scale == 100 else 3
    least = -1.0 if least is None and scale == 100 else least
    ends = [one if least is None else within(one, least) for one in (found.low, found.high) if one is not None]
    value, *interval = (f"{scale * one:.{digits}f}".replace("-", "−") for one in (found.value, *ends))
    return f"{value} [{', '.join(interval)}]" if interval else value


def within(end: float, least: float = -1.0) -> float:
    """The end of an interval, no further than a share or a difference of shares can go."""
    return min(1.0, max(least, end))
