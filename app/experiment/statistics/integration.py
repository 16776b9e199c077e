"""How much of what a group could have gained by pooling what its members know it did gain."""

import numpy as np

from .estimate import Array, ByItem, Estimate, bootstrap, mean

LEAST_GAP = 0.1
"""Below it there is too little to gain for a share of it to mean anything."""


def integration(before: ByItem, after: ByItem, full: ByItem, *, seed: int) -> Estimate | None:
    """(post − pre)/(full − pre) of the means over items, its interval by bootstrap; missing where full − pre < 0.1."""
    pre, whole = mean(before).value, mean(full).value
    if pre is None or whole is None or mean(after).value is None or whole - pre < LEAST_GAP - 1e-9:
        return None
    return bootstrap([before, after, full], _ratio, seed=seed, purpose=["integration"])


def _ratio(means: Array) -> Array:
    pre, post, whole = means[..., 0], means[..., 1], means[..., 2]
    gap = whole - pre
    return np.asarray((post - pre) / np.where(gap == 0, np.nan, gap), dtype=np.float64)
