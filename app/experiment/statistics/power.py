"""What an experiment of the planned size could find, by simulating it through the report's own tests."""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from scipy import stats

from ....state.draw import stream_seed
from ....state.refused import Refused
from .equivalence import two_one_sided
from .estimate import Array, deviations, portions, robust_error
from .significance import sampled_p

EXPERIMENTS = 5000
DRAWS = 2000
"""Patterns of signs a simulated test tries: fewer than the report's, and no less valid for it."""
LIMIT = 2000
"""Items up to which patterns are tried."""


@dataclass(frozen=True)
class Power:
    """Shares of simulated experiments that would find what is there."""

    gain: float
    """Finding the gain assumed, at `alpha`."""
    equivalence: float | None
    """Finding equality within the margin where the true difference is 0; missing without a margin or a second item."""
    items: int
    repeats: int
    experiments: int
    formula: float | None
    """The power by the closed form, a check on `gain`; missing below 100 pairs that differ, and with repeats."""


def power(
    items: int,
    *,
    repeats: int = 1,
    gain: float = 0.05,
    discordance: float = 0.15,
    within_item: float = 0.3,
    margin: float | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    experiments: int = EXPERIMENTS,
) -> Power:
    """Simulate experiments of `items` × `repeats` paired differences in {−1, 0, 1}, and test each as a report does.

    `discordance`: share of pairs that differ at all; `within_item`: correlation of two repeats of an item.
    """
    _check(items, repeats, gain, discordance, within_item, experiments)
    generator = np.random.default_rng(stream_seed(seed, "power"))
    found, equal = [], []
    for some in portions(experiments, items * repeats):
        shape = (some, items, repeats)
        found.append(_p(simulated(generator, shape, gain, discordance, within_item).sum(-1), generator) <= alpha)
        if margin is not None and items > 1:
            equal.append(_equal_p(simulated(generator, shape, 0.0, discordance, within_item), margin) <= alpha)
    checked = items * discordance >= 100 and repeats == 1
    formula = power_by_formula(items, gain, discordance, alpha) if checked else None
    equality = float(np.concatenate(equal).mean()) if equal else None
    return Power(float(np.concatenate(found).mean()), equality, items, repeats, experiments, formula)


def _check(items: int, repeats: int, gain: float, discordance: float, within_item: float, experiments: int) -> None:
    for key, count in (("items", items), ("repeats", repeats), ("experiments", experiments)):
        if count < 1:
            raise Refused(key, count, "give 1 or more")
    if not 0 < discordance <= 1:
        raise Refused("detect.discordance", discordance, "give the share of pairs that differ, above 0 and at most 1")
    if not abs(gain) <= discordance:
        raise Refused("detect.gain", gain, f"it cannot exceed the share of pairs that differ, {discordance:g}")
    if not 0 <= within_item <= 1:
        raise Refused("detect.within_item", within_item, "give a correlation of 0 to 1")


def simulated(
    generator: np.random.Generator, shape: tuple[int, int, int], gain: float, discordance: float, within_item: float
) -> Array:
    """Differences by experiment, item and repeat: a repeat takes its item's own draw with probability √correlation."""
    low, high = (discordance - gain) / 2, 1 - (discordance + gain) / 2
    draw = generator.random(shape)
    if shape[2] > 1:
        common = generator.random((*shape[:2], 1))
        draw = np.where(generator.random(shape) < math.sqrt(within_item), common, draw)
    return (draw >= high).astype(np.float64) - (draw < low)


def _p(sums: Array, generator: np.random.Generator) -> Array:
    """The sign-flip p of each experiment (row); of very many items its limit, a normal sum of random signs."""
    if sums.shape[1] <= LIMIT:
        return sampled_p(sums, generator, DRAWS)
    scale = np.sqrt((sums**2).sum(1))
    return np.asarray(2 * stats.norm.sf(np.abs(sums.sum(1)) / np.where(scale > 0, scale, 1)), dtype=np.float64)


def _equal_p(differences: Array, margin: float) -> Array:
    items = differences.shape[1]
    average, deviation = deviations(differences.sum(-1), np.full(differences.shape[:2], float(differences.shape[2])))
    error = robust_error(deviation, np.array(float(items)))
    constant = error < 1e-12
    p = two_one_sided(average, np.where(constant, 1.0, error), items, margin)
    alike = np.where(np.abs(average) < 1e-12, (1 - margin) ** items, 1.0)
    return np.where(constant, alike, p)


def power_by_formula(n: int, gain: float, discordance: float, alpha: float = 0.05) -> float:
    """Power of McNemar's test with n pairs, the inverse of `items_needed` (Connor 1987, Biometrics 43:207)."""
    normal = NormalDist()
    reach = abs(gain) * math.sqrt(n) - normal.inv_cdf(1 - alpha / 2) * math.sqrt(discordance)
    return normal.cdf(reach / math.sqrt(discordance - gain**2))


def items_needed(gain: float, discordance: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """Pairs needed: n = (z_{α/2}·√ψ + z_β·√(ψ − Δ²))²/Δ² for a gain Δ and a share ψ of pairs that differ."""
    normal = NormalDist()
    beta = normal.inv_cdf(power) * math.sqrt(discordance - gain**2)
    return math.ceil((normal.inv_cdf(1 - alpha / 2) * math.sqrt(discordance) + beta) ** 2 / gain**2)
