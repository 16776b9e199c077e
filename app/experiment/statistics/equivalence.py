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
    def equal(self) -> bool:
        """Return whether the arms are equal within the margin."""
        return self.p is not None and self.p <= self.alpha


def measure_equivalence(differences: ItemValues, margin: float, alpha: float = 0.05) -> Equivalence:
    """Test differences in [−1, 1] against a margin in (0, 1), with the error by items.

    The test is two one-sided tests (Schuirmann 1987). If all differences are equal, there is no error. Then p is
    the largest probability of that many equal items with the mean at the margin: other values have at least the
    probability (margin − |d|)/(1 − |d|).
    """
    if not 0 < margin < 1:
        raise InputError("margin", margin, "give a share above 0 and below 1, such as 0.03 for 3 points")
    estimate = estimate_mean(differences)
    if estimate.value is None or estimate.items < 2:
        return Equivalence(margin, None, alpha)
    if estimate.standard_error is None:
        size = abs(estimate.value)
        p = ((1 - margin) / (1 - size)) ** estimate.items if size < margin else 1.0
        return Equivalence(margin, p, alpha)
    p = float(compute_one_sided_p(np.array(estimate.value), np.array(estimate.standard_error), estimate.items, margin))
    return Equivalence(margin, p, alpha)


def compute_one_sided_p(average: Array, error: Array, items: int, margin: float) -> Array:
    """Return the larger p value of the tests against −margin and +margin, at items − 1 degrees of freedom."""
    return np.asarray(stats.t.sf((margin - np.abs(average)) / error, items - 1), dtype=np.float64)
