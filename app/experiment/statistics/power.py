"""Power of an experiment of the planned size, simulated with the tests of the report."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats

from ....state import InputError, derive_stream_seed
from .estimate import Array, compute_mean_and_deviations, compute_robust_error, split_rows
from .significance import compute_equivalence_p, sample_p_values

SIMULATED_EXPERIMENTS = 5000
SIMULATED_PATTERNS = 2000
"""Number of sign patterns in a simulated test. It is smaller than in the report, and the test is equally valid."""
DETECTION_POWER = 0.8
MAX_PATTERN_ITEMS = 2000
"""Maximum number of items for which sign patterns are drawn."""


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
    """Simulate experiments and test each one as a report does.

    Each experiment has `items` × `repeats` paired differences in {−1, 0, 1}. `discordance`: share of unequal pairs.
    `within_item`: correlation of two repeats of an item.
    """
    if abs(gain) > discordance:
        raise InputError("detect.gain", gain, f"it cannot exceed the share of pairs that differ, {discordance:g}")
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
    """Draw differences by experiment, item and repeat.

    A repeat shares its item's draw with probability √`within_item`.
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

    It solves n = (z_{α/2}√ψ + z_β√(ψ − Δ²))²/Δ² for Δ (Connor 1987, Biometrics 43:207). ψ: `discordance`. n: items
    times repeats, over 1 + (repeats − 1) · `within_item`.
    """
    n = items * repeats / (1 + (repeats - 1) * within_item)
    z_alpha, z_beta = stats.norm.ppf(1 - alpha / 2), stats.norm.ppf(DETECTION_POWER)

    def compute_surplus(gain: float) -> float:
        margin = z_alpha * math.sqrt(discordance) + z_beta * math.sqrt(discordance - gain**2)
        return math.sqrt(n) * gain - float(margin)

    if compute_surplus(discordance) < 0 or 2 ** (1 - items) > alpha:
        return None
    return float(optimize.brentq(compute_surplus, 0.0, discordance))
