"""Equivalence of two arms within a margin, a stronger claim than a difference that was not found."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from ....state.errors import InputError
from .estimate import Array, ItemValues, estimate_mean


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided tests of |mean difference| < margin."""

    margin: float
    p: float | None
    """Larger p value of the two tests; `None` with fewer than two items."""
    alpha: float

    @property
    def is_equivalent(self) -> bool:
        """Return whether the arms are equivalent within the margin."""
        return self.p is not None and self.p <= self.alpha


def measure_equivalence(differences: ItemValues, margin: float, alpha: float = 0.05) -> Equivalence:
    """Test whether the mean difference lies within ±margin, with the error by items.

    Differences lie in [−1, 1], the margin in (0, 1). The test is two one-sided tests (Schuirmann 1987). If all n
    differences equal d, they show no error. Then p is the largest probability of such a sample with the mean at
    the margin: ((1 − margin)/(1 − |d|))^n.
    """
    if not 0 < margin < 1:
        raise InputError("margin", margin, "give a share above 0 and below 1, such as 0.03 for 3 points")
    estimate = estimate_mean(differences)
    if estimate.value is None or estimate.items < 2:
        return Equivalence(margin, None, alpha)
    if estimate.standard_error is None:
        absolute_mean = abs(estimate.value)
        p = ((1 - margin) / (1 - absolute_mean)) ** estimate.items if absolute_mean < margin else 1.0
        return Equivalence(margin, p, alpha)
    p = float(compute_one_sided_p(np.array(estimate.value), np.array(estimate.standard_error), estimate.items, margin))
    return Equivalence(margin, p, alpha)


def compute_one_sided_p(mean: Array, error: Array, items: int, margin: float) -> Array:
    """Return the larger p value of the tests against −margin and +margin, at items − 1 degrees of freedom."""
    return np.asarray(stats.t.sf((margin - np.abs(mean)) / error, items - 1), dtype=np.float64)
