"""Sequential evidence: e-values, which can be checked after every item.

Without an effect, an e-value E ever reaches 1/α with probability at most α. E = ∫₀¹ Π_i(1 + λd_i) dλ for differences
d_i in [−1, 1]. This is betting with a uniform mixture (Waudby-Smith & Ramdas 2024, J. R. Statist. Soc. B 86:1; Ville
1939 for the bound). If b of the d_i are +1 and c are −1, E equals 2^(b+c+1)·B(b+1, c+1)·P[Beta(b+1, c+1) > ½].

The confidence sequence of the mean excludes each m at which the evidence for a larger or smaller mean reaches 2/α. It
is valid after every number of items together, and so at any stop.

A certificate says that the first sample's answer is the most common answer of a model, right or wrong. Later samples
count for this answer (b) or for its strongest rival (c). So E bounds the probability that any rival, even one that
was never drawn, is at least as frequent.
"""

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from scipy import special

from .estimate import Array, IntervalEstimate, ItemValues, sum_by_item

Direction = Literal["above", "below", "either"]
BISECTIONS = 40
"""Halvings of the range from −1 to 1, to an error below 1e-11."""


@dataclass(frozen=True)
class SequentialEvidence:
    """Evidence of a sequential test after a number of items.

    `log_e`: natural logarithm of the evidence. `stopping_time`: number of items after which the evidence first reached
    1/α, or `None`.
    """

    items: int
    log_e: float
    alpha: float
    stopping_time: int | None

    @property
    def e(self) -> float:
        """Return the evidence (e-value); `inf` if it is too large for a float."""
        return math.exp(self.log_e) if self.log_e < 700 else math.inf


@dataclass(frozen=True)
class Certificate(SequentialEvidence):
    """Certificate that an answer is the most common one, from independent samples.

    Its items are the samples, including the first. `votes`: number of samples after the first with the same answer.
    `rival_votes`: number of samples with the most frequent other answer; 0 without one. `joint_time`: number of samples
    after which E first reached m/α for a family of m certificates; `None` before. From then on, the probability that
    any certificate of the family is false is at most α.
    """

    answer: Hashable
    votes: int
    rival_votes: int
    joint_time: int | None


def run_sequential_test(
    differences: Sequence[float], *, direction: Direction = "above", bound: float = 0.0, alpha: float = 0.05
) -> SequentialEvidence:
    """Test after each item whether the mean difference is above or below `bound`, in (−1, 1).

    `differences`: means of the items over repeats and swaps, in the plan's order. `direction`: `either` takes the mean
    evidence of both directions.
    """
    log_e_values = compute_log_e_values(differences, direction=direction, bound=bound)
    log_e = float(log_e_values[-1]) if log_e_values.size else 0.0
    return SequentialEvidence(len(differences), log_e, alpha, _find_crossing(log_e_values, alpha))


def compute_min_samples(alpha: float = 0.05) -> int:
    """Compute how many further samples certify the first answer if all of them repeat it.

    The number is the smallest a with (2^(a+1) − 1)/(a + 1) ≥ 1/α.
    """
    return next(a for a in range(1, 2000) if (2 ** (a + 1) - 1) / (a + 1) >= 1 / alpha)


def certify_mode(answers: Sequence[Hashable], *, alpha: float = 0.05, family_size: int = 1) -> Certificate:
    """Test after each independent sample whether the first answer is the most common one.

    `answers`: a key for each sample in the order drawn, equal for equal answers; at least one. The samples must be
    independent, unlike ballots after a deliberation. `family_size`: number of certificates that are planned.
    """
    counter: Counter[Hashable] = Counter()
    votes, rival_votes = [0.0], [0.0]
    for answer in answers[1:]:
        counter[answer] += 1
        votes.append(counter[answers[0]])
        rival_votes.append(rival_votes[-1] if answer == answers[0] else max(rival_votes[-1], counter[answer]))
    gain_counts, loss_counts = np.array(votes), np.array(rival_votes)
    abscissas, log_weights = _select_nodes(int(np.max(gain_counts + loss_counts, initial=0)))
    powers = np.multiply.outer(gain_counts, np.log1p(abscissas)) + np.multiply.outer(loss_counts, np.log1p(-abscissas))
    log_e_values = np.asarray(special.logsumexp(powers + log_weights, axis=-1), dtype=np.float64)
    times = [_find_crossing(log_e_values, level) for level in (alpha, alpha / family_size)]
    counts = int(votes[-1]), int(rival_votes[-1])
    return Certificate(len(answers), float(log_e_values[-1]), alpha, times[0], answers[0], *counts, times[1])


def _find_crossing(log_e_values: Array, alpha: float) -> int | None:
    crossings = np.flatnonzero(log_e_values >= -math.log(alpha) - 1e-12)
    return int(crossings[0]) + 1 if crossings.size else None


def compute_log_e_values(
    differences: Sequence[float] | Array, *, direction: Direction = "above", bound: float = 0.0
) -> Array:
    """Compute the logarithm of the evidence after each item (last axis).

    `direction`, `bound`: as in `run_sequential_test`.
    """
    d = np.asarray(differences, dtype=np.float64)
    above, below = (d - bound) / (1 + bound), (bound - d) / (1 - bound)
    if direction == "either":
        log_sum = np.logaddexp(_integrate_mixture(above), _integrate_mixture(below))
        return np.asarray(log_sum - math.log(2), dtype=np.float64)
    return _integrate_mixture(above if direction == "above" else below)


def compute_lower_bound(differences: Sequence[float] | Array, alpha: float = 0.05) -> float:
    """Compute a lower bound of the mean of differences in [−1, 1]. The bound is valid at any stop.

    The bound is the largest m at which the evidence for a mean above m reaches 1/α; −1 without such an m. For the upper
    bound, negate the differences and the result.
    """
    values, counts = np.unique(np.asarray(differences, dtype=np.float64), return_counts=True)
    abscissas, log_weights = _select_nodes(int(counts.sum()))
    low, high = -1.0, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        log_products = np.log1p(np.multiply.outer(abscissas, (values - middle) / (1 + middle))) @ counts
        is_reached = special.logsumexp(log_products + log_weights) >= -math.log(alpha)
        low, high = (middle, high) if is_reached else (low, middle)
    return low


def compute_bounds(differences: Sequence[float] | Array, alpha: float = 0.05) -> tuple[float, float]:
    """Compute the confidence sequence of the mean after these differences, at the level 1 − α."""
    d = np.asarray(differences, dtype=np.float64)
    return compute_lower_bound(d, alpha / 2), -compute_lower_bound(-d, alpha / 2)


def estimate_at_stop(values: ItemValues, alpha: float = 0.05, lowest: float = -1.0) -> IntervalEstimate:
    """Estimate the mean over items with its confidence sequence, which is valid at any stop.

    Values lie between `lowest` and 1.
    """
    sums, counts = sum_by_item(values)
    means = sums[counts > 0] / counts[counts > 0]
    if not means.size:
        return IntervalEstimate(None, None, None, 0, 0, None, 1 - alpha, "sequence")
    bounds = compute_bounds(2 * (means - lowest) / (1 - lowest) - 1, alpha)
    low, high = (lowest + (bound + 1) * (1 - lowest) / 2 for bound in bounds)
    mean, n = float(means.mean()), int(counts.sum())
    return IntervalEstimate(mean, low, high, n, means.size, None, 1 - alpha, "sequence")


def _integrate_mixture(d: Array) -> Array:
    """Return log ∫₀¹ Π(1 + λd) dλ for every prefix of the last axis, by Gauss-Legendre quadrature.

    The result is exact up to 2,000 items.
    """
    abscissas, log_weights = _select_nodes(d.shape[-1])
    total = np.full(d.shape, -np.inf)
    for abscissa, weight in zip(abscissas, log_weights, strict=True):
        total = np.logaddexp(total, np.cumsum(np.log1p(abscissa * d), axis=-1) + weight)
    return np.asarray(total, dtype=np.float64)


@cache
def _select_nodes(items: int) -> tuple[Array, Array]:
    """Return the nodes and log weights of the quadrature on (0, 1) for a number of items.

    For few items, the integral is exact. For many items, the nodes are dense enough for a peak of width 1/√items.
    """
    node_count = min(items // 2 + 1, max(64, math.ceil(24 * math.sqrt(items))))
    abscissas, weights = special.roots_legendre(1 << max(3, (node_count - 1).bit_length()))
    return (abscissas + 1) / 2, np.log(weights / 2)
