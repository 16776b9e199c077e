"""Significance and size of a difference: sign-flip, McNemar, Holm and effect sizes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy import stats

from ....state.random_streams import derive_stream_seed
from .estimate import Array, ItemValues, split_rows, sum_by_item

MAX_EXACT_ITEMS = 16
"""Largest number of items for which every sign pattern is tried."""

SIGN_PATTERNS = 20_000


def compute_sign_flip_p(differences: ItemValues, *, seed: int, purpose: Sequence[str | int]) -> float | None:
    """Return the two-sided p of the mean difference under flipped signs of each item's sum.

    Returns `None` without items. Up to 16 items, the p is exact over all sign patterns. With more items, it is
    estimated from 20,000 patterns of the stream `("sign flip", *purpose)` of `seed`; the data's own pattern counts
    among them (Fisher 1935, §21; Phipson & Smyth 2010, arXiv:1603.05766).
    """
    sums, counts = sum_by_item(differences)
    sums = sums[counts > 0]
    if sums.size == 0:
        return None
    if sums.size <= MAX_EXACT_ITEMS:
        signs = np.array(list(product((1.0, -1.0), repeat=sums.size)))
        return float(np.mean(mark_extreme_sums(signs, sums[None])))
    return float(
        sample_p_values(
            sums[None], np.random.default_rng(derive_stream_seed(seed, "sign flip", *purpose)), SIGN_PATTERNS
        )[0]
    )


def mark_extreme_sums(signs: Array, sums: Array) -> Array:
    """Mark the flipped sums that are at least as far from 0 as the sum of the data.

    Returns 1 or 0 by pattern (row) and experiment (column).
    """
    return np.asarray(np.abs(signs @ sums.T) >= np.abs(sums.sum(1)) - 1e-9, dtype=np.float64)


def sample_p_values(sums: Array, generator: np.random.Generator, draw_count: int) -> Array:
    """Return the sign-flip p of each experiment (row of `sums`) from `draw_count` drawn patterns.

    All experiments share the patterns. The data's own pattern is counted too.
    """
    extreme_counts = np.zeros(len(sums))
    for portion_size in split_rows(draw_count, sum(sums.shape)):
        signs = generator.integers(0, 2, size=(portion_size, sums.shape[1])).astype(np.float64) * 2 - 1
        extreme_counts += mark_extreme_sums(signs, sums).sum(0)
    return np.asarray((1 + extreme_counts) / (1 + draw_count), dtype=np.float64)


def compute_mcnemar_p(gain_count: int, loss_count: int) -> float:
    """Return the exact two-sided p of b pairs gained against c lost (McNemar 1947).

    It is 2·P[Bin(b + c, ½) ≤ min(b, c)], at most 1.
    """
    return float(stats.binomtest(gain_count, gain_count + loss_count).pvalue) if gain_count + loss_count else 1.0


def adjust_p_values(p_values: Mapping[str, float]) -> dict[str, float]:
    """Return the p values adjusted for all comparisons together (Holm 1979, Scand. J. Statist. 6:65)."""
    from statsmodels.stats.multitest import multipletests

    if not p_values:
        return {}
    adjusted_p_values = multipletests(list(p_values.values()), method="holm")[1]
    return {name: float(p_value) for name, p_value in zip(p_values, adjusted_p_values, strict=True)}


@dataclass(frozen=True)
class PairedChange:
    """Pairs that one arm has right and the other wrong, with two effect sizes."""

    gained: int
    """Pairs wrong in the first and right in the second (b)."""
    lost: int
    """Pairs right in the first and wrong in the second (c)."""
    n: int
    risk_difference: float
    """(b − c)/n."""
    odds: float | None
    """b/c; `None` if c = 0."""
    p: float
    """Exact McNemar."""

    @property
    def odds_text(self) -> str:
        """Return the odds in the form of a report: "3.0", "∞ (5–0)", or "–" without a pair that differs."""
        if self.odds is not None:
            return f"{self.odds:.1f}"
        return f"∞ ({self.gained}–0)" if self.gained else "–"


def measure_change(pairs: Sequence[tuple[bool, bool]]) -> PairedChange | None:
    """Measure the change from the first to the second of each pair; `None` without pairs.

    The pairs must come from a plan without repeats, swaps and split credit.
    """
    if not pairs:
        return None
    gain_count = sum(after and not before for before, after in pairs)
    loss_count = sum(before and not after for before, after in pairs)
    odds = gain_count / loss_count if loss_count else None
    return PairedChange(
        gain_count,
        loss_count,
        len(pairs),
        (gain_count - loss_count) / len(pairs),
        odds,
        compute_mcnemar_p(gain_count, loss_count),
    )
