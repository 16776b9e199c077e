"""How much of what a group could have gained by pooling what its members know it did gain."""

from .estimate import ByItem, Estimate, bootstrap, mean, ratio_of_differences

LEAST_GAP = 0.1
"""Below it there is too little to gain for a share of it to mean anything."""


def integration(before: ByItem, after: ByItem, full: ByItem, *, seed: int) -> Estimate | None:
    """(post − pre)/(full − pre) of the means over items, its interval by bootstrap; missing where full − pre < 0.1."""
    pre, whole = mean(before).value, mean(full).value
    if pre is None or whole is None or mean(after).value is None or whole - pre < LEAST_GAP - 1e-9:
        return None
    return bootstrap([before, after, full], ratio_of_differences, seed=seed, purpose=["integration"])
