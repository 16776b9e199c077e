"""Significance of a difference and the power to find one.

The tests are sign-flip, Holm and equivalence. The power is simulated with the tests of the report.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import optimize, stats

from ....state import InputError, derive_stream_seed
from .estimate import (
    Array,
    IntervalEstimate,
    ItemValues,
    compute_mean_and_deviations,
    compute_robust_error,
    estimate_mean,
    split_rows,
    sum_by_item,
)

MAX_EXACT_SUMS = 2**20
"""Maximum number of different sums for which every sign pattern is counted."""

PATTERN_COUNTS = (20_000, 200_000, 2_000_000)
"""Numbers of sign patterns to draw, in ascending order.

While p is within 3 standard errors of the level, the next number is used.
"""

SIGNIFICANCE_LEVEL = 0.05
SIMULATED_EXPERIMENTS = 5000
SIMULATED_PATTERNS = 2000
"""Number of sign patterns in a simulated test. A report draws more patterns; both tests are valid."""
DETECTION_POWER = 0.8
MAX_PATTERN_ITEMS = 2000
"""Maximum number of items for which sign patterns are drawn."""


class PValue(NamedTuple):
    """p value of a test.

    `error`: its standard error if patterns were drawn; 0 if all patterns were tried.
    """

    p: float
    error: float = 0.0


def compute_sign_flip_p(
    differences: ItemValues, *, seed: int, purpose: Sequence[str | int], alpha: float = SIGNIFICANCE_LEVEL
) -> PValue | None:
    """Return the two-sided p of the mean difference, by flipping the signs of the items' sums.

    Returns `None` without items. The stream is `("sign flip", *purpose)` of `seed` (Fisher 1935, §21).
    """
    sums, counts = sum_by_item(differences)
    generator = np.random.default_rng(derive_stream_seed(seed, "sign flip", *purpose))
    # An item without a difference is the same under either sign.
    return compute_swap_p(float(sums.sum()), -2 * sums[sums != 0], generator, alpha) if counts.any() else None


def compute_swap_p(total: float, changes: Array, generator: np.random.Generator, alpha: float) -> PValue:
    """Return the two-sided p of `total` when changes are added at random.

    Each swap happens with probability 1/2, independently of the others, and then adds its change.

    p is exact over all patterns, unless these have more than `MAX_EXACT_SUMS` different sums. Then B patterns are
    drawn, and p is (1 + b)/(1 + B), where b is the number of patterns at least as extreme as the data. The data's own
    pattern counts too (Phipson & Smyth 2010, arXiv:1603.05766).
    """
    bound, sums, shares = abs(total) - 1e-9, np.full(1, total), np.ones(1)
    for change in changes:
        sums, places = np.unique(np.concatenate([sums, sums + change]).round(12), return_inverse=True)
        shares = np.bincount(places, np.concatenate([shares, shares]) / 2).astype(np.float64)
        if sums.size > MAX_EXACT_SUMS:
            break
    else:
        return PValue(float(shares[np.abs(sums) >= bound].sum()))
    extreme_count, drawn_count, result = 0, 0, PValue(1.0)
    for pattern_count in PATTERN_COUNTS:
        for portion in split_rows(pattern_count - drawn_count, changes.size):
            patterns = generator.integers(0, 2, size=(portion, changes.size)).astype(np.float64)
            extreme_count += int((np.abs(total + patterns @ changes) >= bound).sum())
        drawn_count = pattern_count
        p = (1 + extreme_count) / (1 + drawn_count)
        result = PValue(p, math.sqrt(p * (1 - p) / drawn_count))
        if abs(p - alpha) > 3 * result.error:
            break
    return result


def sample_p_values(sums: Array, generator: np.random.Generator, draw_count: int) -> Array:
    """Return the sign-flip p of each experiment, from `draw_count` drawn sign patterns.

    `sums`: sums by experiment (row) and item. All experiments share the drawn patterns. The pattern of the data itself
    is counted too.
    """
    extreme_counts = np.zeros(len(sums))
    for portion_size in split_rows(draw_count, sum(sums.shape)):
        signs = generator.integers(0, 2, size=(portion_size, sums.shape[1])).astype(np.float64) * 2 - 1
        extreme_counts += (np.abs(signs @ sums.T) >= np.abs(sums.sum(1)) - 1e-9).sum(0)
    return np.asarray((1 + extreme_counts) / (1 + draw_count), dtype=np.float64)


def adjust_p_values(p_values: Mapping[str, float]) -> dict[str, float]:
    """Return the p values adjusted for all comparisons together (Holm 1979, Scand. J. Statist. 6:65)."""
    from statsmodels.stats.multitest import multipletests

    if not p_values:
        return {}
    adjusted_p_values = multipletests(list(p_values.values()), method="holm")[1]
    return {name: float(p_value) for name, p_value in zip(p_values, adjusted_p_values, strict=True)}


@dataclass(frozen=True)
class PairedChange:
    """Pairs in which only one of two arms is right, with two effect sizes.

    `gained`: pairs that only the second arm has right (b). `lost`: pairs that only the first arm has right (c). `odds`:
    b/c; `None` if c = 0. The sign-flip test of the gain is then McNemar's.
    """

    gained: int
    lost: int
    n: int
    odds: float | None


def measure_change(pairs: Sequence[tuple[bool, bool]]) -> PairedChange | None:
    """Measure the change from the first to the second of each pair; `None` without pairs.

    The plan must have no repeats, swaps or split credit.
    """
    if not pairs:
        return None
    gained = sum(after and not before for before, after in pairs)
    lost = sum(before and not after for before, after in pairs)
    return PairedChange(gained, lost, len(pairs), gained / lost if lost else None)


@dataclass(frozen=True)
class Equivalence:
    """Result of two one-sided tests of |mean difference| < margin.

    `p`: larger p value of the two tests; `None` with fewer than two items. `interval`: mean with its interval at the
    level 1 − 2·alpha. The arms are equivalent if the interval lies within the margin.
    """

    margin: float
    p: float | None
    alpha: float
    interval: IntervalEstimate

    @property
    def is_equivalent(self) -> bool:
        """Return whether the arms are equivalent within the margin."""
        return self.p is not None and self.p <= self.alpha


def measure_equivalence(differences: ItemValues, margin: float, alpha: float = 0.05) -> Equivalence:
    """Test whether the mean difference lies within ±margin, with a standard error clustered by item.

    Differences lie in [−1, 1], the margin in (0, 1). The test is two one-sided tests (Schuirmann 1987). If all n
    differences equal d, they have no standard error. Then p is the largest probability of such a sample with the mean
    at the margin: ((1 − margin)/(1 − |d|))^n.
    """
    return judge_equivalence(estimate_mean(differences, 1 - 2 * alpha), margin, alpha)


def judge_equivalence(estimate: IntervalEstimate, margin: float, alpha: float = 0.05) -> Equivalence:
    """Test whether the mean behind an estimate lies within ±margin.

    `estimate`: estimate with its interval at the level 1 − 2·alpha.
    """
    if estimate.value is None or estimate.items < 2:
        return Equivalence(margin, None, alpha, estimate)
    if estimate.standard_error is None:
        absolute_mean = abs(estimate.value)
        p = ((1 - margin) / (1 - absolute_mean)) ** estimate.items if absolute_mean < margin else 1.0
    else:
        mean, error = np.array(estimate.value), np.array(estimate.standard_error)
        p = float(compute_equivalence_p(mean, error, estimate.items, margin))
    return Equivalence(margin, p, alpha, estimate)


def compute_equivalence_p(mean: Array, error: Array, items: int, margin: float) -> Array:
    """Return the larger p value of the tests against −margin and +margin.

    The tests have items − 1 degrees of freedom.
    """
    return np.asarray(stats.t.sf((margin - np.abs(mean)) / error, items - 1), dtype=np.float64)


@dataclass(frozen=True)
class Power:
    """Power of an experiment, as shares of simulated experiments.

    `gain`: share that detects the assumed gain, at `alpha`. `equivalence`: share that detects equality within the
    margin if the true difference is 0; `None` without a margin or a second item.
    """

    gain: float
    equivalence: float | None


def simulate_power(
    items: int,
    *,
    repeats: int = 1,
    gain: float = 0.05,
    discordance: float = 0.15,
    within_item: float = 0.3,
    margin: float | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    experiments: int = SIMULATED_EXPERIMENTS,
) -> Power:
    """Return the power of experiments of this size, simulated with the tests of the report.

    Each experiment has `items` × `repeats` paired differences in {−1, 0, 1}. `discordance`: share of unequal pairs.
    `within_item`: correlation of two repeats of an item. Raises `InputError` if the gain is larger than the
    discordance.
    """
    if abs(gain) > discordance:
        raise InputError("detect.gain", gain, f"must be at most {discordance:g}, the share of pairs that differ")
    generator = np.random.default_rng(derive_stream_seed(seed, "power"))
    gain_results, equality_results = [], []
    for portion_size in split_rows(experiments, items * repeats):
        shape = (portion_size, items, repeats)
        sums = simulate_differences(generator, shape, gain, discordance, within_item).sum(-1)
        if items <= MAX_PATTERN_ITEMS:
            p = sample_p_values(sums, generator, SIMULATED_PATTERNS)
        else:  # the sum of so many random signs is taken as normal
            p = 2 * stats.norm.sf(np.abs(sums.sum(1)) / np.sqrt(np.maximum((sums**2).sum(1), 1)))
        gain_results.append(p <= alpha)
        if margin is not None and items > 1:
            differences = simulate_differences(generator, shape, 0.0, discordance, within_item)
            equality_results.append(_compute_equality_p(differences, margin) <= alpha)
    equality_power = float(np.concatenate(equality_results).mean()) if equality_results else None
    return Power(float(np.concatenate(gain_results).mean()), equality_power)


def simulate_differences(
    generator: np.random.Generator, shape: tuple[int, int, int], gain: float, discordance: float, within_item: float
) -> Array:
    """Draw differences in {−1, 0, 1} by experiment, item and repeat.

    `shape`: the three numbers. `gain`: mean difference. `discordance`: share of unequal pairs. `within_item`:
    correlation of two repeats, which share their item's draw with probability √`within_item`.
    """
    low, high = (discordance - gain) / 2, 1 - (discordance + gain) / 2
    draws = generator.random(shape)
    if shape[2] > 1:
        item_draws = generator.random((*shape[:2], 1))
        draws = np.where(generator.random(shape) < math.sqrt(within_item), item_draws, draws)
    return (draws >= high).astype(np.float64) - (draws < low)


def _compute_equality_p(differences: Array, margin: float) -> Array:
    items = differences.shape[1]
    mean, deviations = compute_mean_and_deviations(
        differences.sum(-1), np.full(differences.shape[:2], float(differences.shape[2]))
    )
    error = compute_robust_error(deviations, np.array(float(items)))
    is_constant = error < 1e-12
    p = compute_equivalence_p(mean, np.where(is_constant, 1.0, error), items, margin)
    constant_p = np.where(np.abs(mean) < 1e-12, (1 - margin) ** items, 1.0)
    return np.where(is_constant, constant_p, p)


def compute_detectable_gain(
    items: int, *, repeats: int = 1, discordance: float = 0.15, within_item: float = 0.3, alpha: float = 0.05
) -> float | None:
    """Compute the smallest gain that a two-sided test detects with a power of 80 %; `None` without one.

    The gain is the Δ that solves n = (z_{α/2}√ψ + z_β√(ψ − Δ²))²/Δ² (Connor 1987, Biometrics 43:207), with ψ =
    `discordance` and n = `items` · `repeats` / (1 + (`repeats` − 1) · `within_item`).
    """
    n = items * repeats / (1 + (repeats - 1) * within_item)
    z_alpha, z_beta = stats.norm.ppf(1 - alpha / 2), stats.norm.ppf(DETECTION_POWER)

    def compute_surplus(gain: float) -> float:
        margin = z_alpha * math.sqrt(discordance) + z_beta * math.sqrt(discordance - gain**2)
        return math.sqrt(n) * gain - float(margin)

    if compute_surplus(discordance) < 0 or 2 ** (1 - items) > alpha:
        return None
    return float(optimize.brentq(compute_surplus, 0.0, discordance))
