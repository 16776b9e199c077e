"""Evidence that may be looked at after every item: an e-value, whose chance of ever reaching 1/α is at most α.

E = ∫₀¹ Π_i(1 + λd_i) dλ for differences d_i in [−1, 1] (betting with a uniform mixture: Waudby-Smith & Ramdas 2024,
J. R. Statist. Soc. B 86:1; Ville 1939 for the bound). For d_i = ±1 with b of +1 and c of −1 it equals
2^(b+c+1)·B(b+1, c+1)·P[Beta(b+1, c+1) > ½].
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from scipy import special

from ....state.errors import InputError
from .estimate import Array

Direction = Literal["above", "below", "either"]


@dataclass(frozen=True)
class Sequential:
    """What a sequential test has seen so far."""

    items: int
    log_e: float
    """Natural logarithm of the evidence: it may pass what a float can hold."""
    alpha: float
    stopped_after: int | None
    """Items after which the evidence first reached 1/α; missing where it has not."""

    @property
    def e(self) -> float:
        """The evidence; `inf` where it is too large to write."""
        return math.exp(self.log_e) if self.log_e < 700 else math.inf


def sequential(
    differences: Sequence[float], *, direction: Direction = "above", bound: float = 0.0, alpha: float = 0.05
) -> Sequential:
    """Test, item by item in the plan's order, that the mean difference is above (below) `bound`, in (−1, 1).

    A difference is an item's mean over repeats and swaps. `either` is the mean of the evidence in both directions.
    """
    if not 0 < alpha < 1:
        raise InputError("alpha", alpha, "give a share above 0 and below 1, such as 0.05")
    logs = log_e_values(differences, direction=direction, bound=bound)
    reached = np.flatnonzero(logs >= -math.log(alpha) - 1e-12)
    after = int(reached[0]) + 1 if reached.size else None
    return Sequential(len(differences), float(logs[-1]) if logs.size else 0.0, alpha, after)


def e_value(differences: Sequence[float], *, direction: Direction = "above", bound: float = 0.0) -> float:
    """The evidence after all items; 1 before the first."""
    return sequential(differences, direction=direction, bound=bound).e


def log_e_values(differences: Sequence[float] | Array, *, direction: Direction = "above", bound: float = 0.0) -> Array:
    """The logarithm of the evidence after each item (last axis)."""
    d = np.asarray(differences, dtype=np.float64)
    if d.size and not (np.abs(d) <= 1 + 1e-12).all():
        raise InputError("differences", float(d.flat[np.argmax(np.abs(d))]), "each lies between -1 and 1")
    if not -1 < bound < 1:
        raise InputError("bound", bound, "give a difference above -1 and below 1")
    d = (d - bound) / (1 + abs(bound))
    if direction == "either":
        return np.asarray(np.logaddexp(_mixture(d), _mixture(-d)) - math.log(2), dtype=np.float64)
    return _mixture(d if direction == "above" else -d)


def _mixture(d: Array) -> Array:
    """log ∫₀¹ Π(1 + λd) dλ of every prefix of the last axis, by Gauss-Legendre, exact up to some 2,000 items."""
    place, log_weight = _nodes(d.shape[-1])
    total = np.full(d.shape, -np.inf)
    for one, weight in zip(place, log_weight, strict=True):
        total = np.logaddexp(total, np.cumsum(np.log1p(one * d), axis=-1) + weight)
    return np.asarray(total, dtype=np.float64)


@cache
def _nodes_of(count: int) -> tuple[Array, Array]:
    place, weight = special.roots_legendre(count)
    return (place + 1) / 2, np.log(weight / 2)


def _nodes(items: int) -> tuple[Array, Array]:
    """Places and log weights on (0, 1): exact for a product of so many factors, or dense beside its width 1/√items."""
    enough = min(items // 2 + 1, max(64, math.ceil(24 * math.sqrt(items))))
    return _nodes_of(1 << max(3, (enough - 1).bit_length()))


def log_e_of_counts(for_it: Array, against: Array) -> Array:
    """The logarithm of the evidence of so many +1 and so many −1."""
    place, log_weight = _nodes(int(np.max(for_it + against, initial=0)))
    powers = np.multiply.outer(for_it, np.log1p(place)) + np.multiply.outer(against, np.log1p(-place))
    return np.asarray(special.logsumexp(powers + log_weight, axis=-1), dtype=np.float64)
