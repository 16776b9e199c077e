"""Whether two arms are equal within a margin, which is more than finding no difference."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from ....state.refused import Refused
from .estimate import Array, ByItem, mean


@dataclass(frozen=True)
class Equivalence:
    """Two one-sided tests of |mean difference| < margin."""

    margin: float
    p: float | None
    """The larger of the two; missing with fewer than two items."""
    alpha: float

    @property
    def equal(self) -> bool:
        """Whether the arms are equal within the margin."""
        return self.p is not None and self.p <= self.alpha


def equivalence(differences: ByItem, margin: float, alpha: float = 0.05) -> Equivalence:
    """Test differences in [−1, 1] against a margin in (0, 1): Schuirmann 1987 (two one-sided tests), error by items.

    Where all differences are the same there is no error to go by; then p is the most that so many equal items can have
    if the mean is at the margin: the others' probability is at least (margin − |d|)/(1 − |d|).
    """
    if not 0 < margin < 1:
        raise Refused("margin", margin, "give a share above 0 and below 1, such as 0.03 for 3 points")
    found = mean(differences)
    if found.value is None or found.items < 2:
        return Equivalence(margin, None, alpha)
    if found.error is None:
        size = abs(found.value)
        p = ((1 - margin) / (1 - size)) ** found.items if size < margin else 1.0
        return Equivalence(margin, p, alpha)
    p = float(two_one_sided(np.array(found.value), np.array(found.error), found.items, margin))
    return Equivalence(margin, p, alpha)


def two_one_sided(average: Array, error: Array, items: int, margin: float) -> Array:
    """The larger p of the tests against −margin and +margin, at items − 1 degrees of freedom."""
    return np.asarray(stats.t.sf((margin - np.abs(average)) / error, items - 1), dtype=np.float64)
