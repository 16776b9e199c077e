"""Quantiles of a sample, and of the pooled distribution of experts.

Each expert gives 5 %, 50 % and 95 % quantiles. Sample quantiles are of type 7: R. J. Hyndman, Y. Fan, "Sample
quantiles in statistical packages", The American Statistician 50 (1996). The pool follows the classical model: R. M.
Cooke, "Experts in Uncertainty" (1991). It uses an intrinsic range with an overshoot of 10 % and minimum-information
densities between quantiles. All experts weigh the same.
"""

import math
from collections.abc import Sequence

OVERSHOOT = 0.1
"""Length of each tail, as a share of the range from the lowest 5 % to the highest 95 % quantile."""
KNOT_SHARES = (0.0, 0.05, 0.5, 0.95, 1.0)
"""Cumulative shares of each expert's distribution at its lower end, its three quantiles, and its upper end."""

QuantileTriple = tuple[float, float, float]
"""One expert's 5 %, 50 % and 95 % quantile, in order."""


def compute_quantile(values: Sequence[float], share: float) -> float:
    """Compute the `share` quantile of a non-empty sample by linear interpolation (Hyndman–Fan type 7)."""
    ordered_values = sorted(values)
    position = (len(ordered_values) - 1) * share
    lower_index = math.floor(position)
    upper_index = min(lower_index + 1, len(ordered_values) - 1)
    return ordered_values[lower_index] + (position - lower_index) * (
        ordered_values[upper_index] - ordered_values[lower_index]
    )


def compute_pooled_quantile(experts: Sequence[QuantileTriple], share: float) -> float:
    """Compute the `share` quantile, 0 to 1, of the equally weighted mixture of the experts' distributions.

    Each expert's density is uniform between its quantiles and in its tails. Two equal quantiles make a step. At least
    one expert is needed.
    """
    low, high = min(expert[0] for expert in experts), max(expert[2] for expert in experts)
    tail = OVERSHOOT * (high - low)
    knots = [[low - tail, *expert, high + tail] for expert in experts]
    points = sorted({value for expert_knots in knots for value in expert_knots})
    before = points[0], 0.0
    for value in points:
        for is_below in (True, False):  # the mean share just below the value, and at it
            mean_share = sum(_compute_share(expert_knots, value, is_below) for expert_knots in knots) / len(knots)
            if mean_share >= share - 1e-12:
                return _interpolate_quantile(before, (value, mean_share), share)
            before = value, mean_share
    return points[-1]


def _compute_share(knots: Sequence[float], value: float, is_below: bool) -> float:
    indices = [index for index, knot in enumerate(knots) if knot == value]
    if indices:
        return KNOT_SHARES[indices[0] if is_below else indices[-1]]
    upper_index = next(index for index, knot in enumerate(knots) if knot > value)
    return _interpolate_quantile(
        (KNOT_SHARES[upper_index - 1], knots[upper_index - 1]), (KNOT_SHARES[upper_index], knots[upper_index]), value
    )


def _interpolate_quantile(first: tuple[float, float], second: tuple[float, float], height: float) -> float:
    rise = second[1] - first[1]
    return first[0] + (second[0] - first[0]) * (height - first[1]) / rise if rise > 0 else second[0]
