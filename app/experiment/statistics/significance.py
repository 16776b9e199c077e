"""Whether a difference could be chance, and how large it is: sign-flip, McNemar, Holm, and effect sizes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy import stats

from ....state.draw import stream_seed
from .estimate import Array, ByItem, portions, sums_and_counts

EXACT = 16
"""Up to so many items every pattern of signs is tried."""

DRAWS = 20_000


def sign_flip(differences: ByItem, *, seed: int, purpose: Sequence[str | int]) -> float | None:
    """Two-sided p of the mean difference, the sign of each item's sum flipped; missing without items.

    Exact over all 2^C patterns for C ≤ 16 items; else 20,000 patterns from the stream `("sign flip", *purpose)` of
    `seed`, the data's own counted among them (Fisher 1935, §21; Phipson & Smyth 2010, arXiv:1603.05766).
    """
    sums, counts = sums_and_counts(differences)
    sums = sums[counts > 0]
    if sums.size == 0:
        return None
    if sums.size <= EXACT:
        signs = np.array(list(product((1.0, -1.0), repeat=sums.size)))
        return float(np.mean(as_extreme(signs, sums[None])))
    return float(sampled_p(sums[None], np.random.default_rng(stream_seed(seed, "sign flip", *purpose)), DRAWS)[0])


def as_extreme(signs: Array, sums: Array) -> Array:
    """For each pattern (row) and experiment (column): 1 where the flipped sum is as far from 0 as the one seen."""
    return np.asarray(np.abs(signs @ sums.T) >= np.abs(sums.sum(1)) - 1e-9, dtype=np.float64)


def sampled_p(sums: Array, generator: np.random.Generator, draws: int) -> Array:
    """For each experiment (row of `sums`): its p from patterns drawn for all, its own sum counted as one of them."""
    extreme = np.zeros(len(sums))
    for some in portions(draws, sum(sums.shape)):
        signs = generator.integers(0, 2, size=(some, sums.shape[1])).astype(np.float64) * 2 - 1
        extreme += as_extreme(signs, sums).sum(0)
    return np.asarray((1 + extreme) / (1 + draws), dtype=np.float64)


def mcnemar(gained: int, lost: int) -> float:
    """Exact two-sided p of b pairs gained against c lost: 2·P[Bin(b + c, ½) ≤ min(b, c)], at most 1 (McNemar 1947)."""
    return float(stats.binomtest(gained, gained + lost).pvalue) if gained + lost else 1.0


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Each p adjusted for all that are looked at together (Holm 1979, Scand. J. Statist. 6:65)."""
    from statsmodels.stats.multitest import multipletests

    if not p_values:
        return {}
    adjusted = multipletests(list(p_values.values()), method="holm")[1]
    return {name: float(one) for name, one in zip(p_values, adjusted, strict=True)}


@dataclass(frozen=True)
class Change:
    """Pairs that one arm has right and the other wrong, and the effect in two sizes."""

    gained: int
    """Wrong in the first, right in the second (b)."""
    lost: int
    """Right in the first, wrong in the second (c)."""
    n: int
    risk_difference: float
    """(b − c)/n."""
    odds: float | None
    """b/c; missing where c = 0."""
    p: float
    """Exact McNemar."""

    @property
    def odds_said(self) -> str:
        """The odds as a report writes them: "3.0", "∞ (5–0)", and "–" where no pair differs."""
        if self.odds is not None:
            return f"{self.odds:.1f}"
        return f"∞ ({self.gained}–0)" if self.gained else "–"


def change(pairs: Sequence[tuple[bool, bool]]) -> Change | None:
    """What changed between the first and the second of each pair; for pairs without repeats, swaps or split credit."""
    if not pairs:
        return None
    gained = sum(after and not before for before, after in pairs)
    lost = sum(before and not after for before, after in pairs)
    odds = gained / lost if lost else None
    return Change(gained, lost, len(pairs), (gained - lost) / len(pairs), odds, mcnemar(gained, lost))
