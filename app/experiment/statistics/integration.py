"""Integration: the share of the possible gain from pooled knowledge that a group reached."""

import numpy as np

from .estimate import Array, IntervalEstimate, ItemValues, estimate_by_bootstrap, estimate_mean

MIN_GAP = 0.1
"""Gap below which the possible gain is too small for a share."""


def estimate_integration(
    before: ItemValues, after: ItemValues, full: ItemValues, *, seed: int
) -> IntervalEstimate | None:
    """Estimate (post − pre)/(full − pre) of the means over items, its interval by bootstrap.

    `None` if full − pre < 0.1.
    """
    before_mean, full_mean = estimate_mean(before).value, estimate_mean(full).value
    if (
        before_mean is None
        or full_mean is None
        or estimate_mean(after).value is None
        or full_mean - before_mean < MIN_GAP - 1e-9
    ):
        return None
    return estimate_by_bootstrap([before, after, full], _compute_ratio, seed=seed, purpose=["integration"])


def _compute_ratio(means: Array) -> Array:
    before, after, full = means[..., 0], means[..., 1], means[..., 2]
    gap = full - before
    return np.asarray((after - before) / np.where(gap == 0, np.nan, gap), dtype=np.float64)
