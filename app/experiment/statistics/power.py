"""Power of an experiment of the planned size, by simulation through the report's own tests."""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from scipy import stats

from ....state.errors import InputError
from ....state.random_streams import derive_stream_seed
from .equivalence import compute_one_sided_p
from .estimate import Array, compute_mean_and_deviations, compute_robust_error, split_rows
from .significance import sample_p_values

SIMULATED_EXPERIMENTS = 5000
SIMULATED_PATTERNS = 2000
"""Sign patterns of a simulated test: fewer than the report's, and equally valid."""
MAX_PATTERN_ITEMS = 2000
"""Largest number of items for which patterns are drawn."""


@dataclass(frozen=True)
class Power:
    """Power of an experiment, as shares of simulated experiments."""

    gain: float
    """Share that finds the assumed gain, at `alpha`."""
    equivalence: float | None
    """Share that finds equality within the margin at a true difference of 0.

    `None` without a margin or a second item.
    """
    items: int
    repeats: int
    experiments: int
    formula: float | None
    """Power by the closed form, a check on `gain`; `None` below 100 expected pairs that differ, and with repeats."""


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
    """Simulate experiments and test each as a report does.

    Each experiment has `items` × `repeats` paired differences in {−1, 0, 1}.
    `discordance`: share of pairs that differ; `within_item`: correlation of two repeats of an item.
    """
    _check_inputs(items, repeats, gain, discordance, within_item, experiments)
    generator = np.random.default_rng(derive_stream_seed(seed, "power"))
    gain_results, equality_results = [], []
    for portion_size in split_rows(experiments, items * repeats):
        shape = (portion_size, items, repeats)
        gain_results.append(
            _compute_gain_p(simulate_differences(generator, shape, gain, discordance, within_item).sum(-1), generator)
            <= alpha
        )
        if margin is not None and items > 1:
            equality_results.append(
                _compute_equality_p(simulate_differences(generator, shape, 0.0, discordance, within_item), margin)
                <= alpha
            )
    has_formula = items * discordance >= 100 and repeats == 1
    formula_power = compute_formula_power(items, gain, discordance, alpha) if has_formula else None
    equality_power = float(np.concatenate(equality_results).mean()) if equality_results else None
    return Power(float(np.concatenate(gain_results).mean()), equality_power, items, repeats, experiments, formula_power)


def _check_inputs(
    items: int, repeats: int, gain: float, discordance: float, within_item: float, experiments: int
) -> None:
    for key, count in (("items", items), ("repeats", repeats), ("experiments", experiments)):
        if count < 1:
            raise InputError(key, count, "give 1 or more")
    if not 0 < discordance <= 1:
        raise InputError(
            "detect.discordance", discordance, "give the share of pairs that differ, above 0 and at most 1"
        )
    if not abs(gain) <= discordance:
        raise InputError("detect.gain", gain, f"it cannot exceed the share of pairs that differ, {discordance:g}")
    if not 0 <= within_item <= 1:
        raise InputError("detect.within_item", within_item, "give a correlation of 0 to 1")


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


def _compute_gain_p(sums: Array, generator: np.random.Generator) -> Array:
    """Return the sign-flip p value of each experiment (row).

    Above `MAX_PATTERN_ITEMS` items, the sum of random signs is taken as normal.
    """
    if sums.shape[1] <= MAX_PATTERN_ITEMS:
        return sample_p_values(sums, generator, SIMULATED_PATTERNS)
    scale = np.sqrt((sums**2).sum(1))
    return np.asarray(2 * stats.norm.sf(np.abs(sums.sum(1)) / np.where(scale > 0, scale, 1)), dtype=np.float64)


def _compute_equality_p(differences: Array, margin: float) -> Array:
    items = differences.shape[1]
    mean, deviations = compute_mean_and_deviations(
        differences.sum(-1), np.full(differences.shape[:2], float(differences.shape[2]))
    )
    error = compute_robust_error(deviations, np.array(float(items)))
    is_constant = error < 1e-12
    p = compute_one_sided_p(mean, np.where(is_constant, 1.0, error), items, margin)
    constant_p = np.where(np.abs(mean) < 1e-12, (1 - margin) ** items, 1.0)
    return np.where(is_constant, constant_p, p)


def compute_formula_power(n: int, gain: float, discordance: float, alpha: float = 0.05) -> float:
    """Return the power of McNemar's test with n pairs, the inverse of `compute_items_needed`.

    (Connor 1987, Biometrics 43:207.)
    """
    normal = NormalDist()
    margin = abs(gain) * math.sqrt(n) - normal.inv_cdf(1 - alpha / 2) * math.sqrt(discordance)
    return normal.cdf(margin / math.sqrt(discordance - gain**2))


def compute_items_needed(gain: float, discordance: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """Return the number of pairs needed, (z_{α/2}·√ψ + z_β·√(ψ − Δ²))²/Δ².

    Δ is the gain, ψ the share of pairs that differ.
    """
    normal = NormalDist()
    beta = normal.inv_cdf(power) * math.sqrt(discordance - gain**2)
    return math.ceil((normal.inv_cdf(1 - alpha / 2) * math.sqrt(discordance) + beta) ** 2 / gain**2)
