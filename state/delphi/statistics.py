"""Quantiles of a sample, and the pooled distribution of experts who gave 5 %, 50 % and 95 % quantiles.

R. J. Hyndman, Y. Fan, "Sample quantiles in statistical packages", The American Statistician 50 (1996), type 7.
R. M. Cooke, "Experts in Uncertainty" (1991): the classical model's intrinsic range with an overshoot of 10 %, and
minimum-information densities between the quantiles of an expert; here all experts weigh the same.
"""

import math
from collections.abc import Sequence

OVERSHOOT = 0.1
"""By how much of their range the tails of all experts reach beyond their lowest 5 % and highest 95 % quantile."""
SHARES = (0.0, 0.05, 0.5, 0.95, 1.0)
"""What each expert's distribution has reached at its lower end, its three quantiles, and its upper end."""

Quantiles = tuple[float, float, float]
"""One expert's 5 %, 50 % and 95 % quantile, in order."""


def quantile(values: Sequence[float], share: float) -> float:
    """The `share` quantile of a sample of one or more: linear between its order statistics (Hyndman–Fan 7)."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * share
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def pooled_quantile(experts: Sequence[Quantiles], share: float) -> float:
    """The `share` quantile, 0 to 1, of the equally weighted mixture of one or more experts.

    Each expert's density is uniform between its quantiles and in its tails; where two quantiles are equal, what lies
    between them is a step.
    """
    knots = [_knots(expert, experts) for expert in experts]
    at = sorted({value for one in knots for value in one})
    before = at[0], 0.0
    for value in at:
        for reached in (_reached(knots, value, below=True), _reached(knots, value, below=False)):
            if reached >= share - 1e-12:
                return _between(before, (value, reached), share)
            before = value, reached
    return at[-1]


def _knots(expert: Quantiles, experts: Sequence[Quantiles]) -> list[float]:
    low, high = min(one[0] for one in experts), max(one[2] for one in experts)
    tail = OVERSHOOT * (high - low)
    return [low - tail, *expert, high + tail]


def _reached(knots: Sequence[Sequence[float]], value: float, below: bool) -> float:
    """The mean share of the experts' distributions at a value, or right below it."""
    return sum(_share(one, value, below) for one in knots) / len(knots)


def _share(knots: Sequence[float], value: float, below: bool) -> float:
    """One expert's share at a value, or right below it."""
    places = [place for place, knot in enumerate(knots) if knot == value]
    if places:
        return SHARES[places[0] if below else places[-1]]
    after = next(place for place, knot in enumerate(knots) if knot > value)
    return _between((SHARES[after - 1], knots[after - 1]), (SHARES[after], knots[after]), value)


def _between(one: tuple[float, float], other: tuple[float, float], height: float) -> float:
    """Where the line through two points, as (place, height), reaches a height; at the second where it is level."""
    rise = other[1] - one[1]
    return one[0] + (other[0] - one[0]) * (height - one[1]) / rise if rise > 0 else other[0]
