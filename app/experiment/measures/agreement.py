"""How far judges, participants or rankings agree."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Literal

from ....state.refused import Refused
from .answers import Answer


def alpha(
    ratings: Sequence[Sequence[Answer | None]], level: Literal["nominal", "ordinal", "interval"] = "nominal"
) -> float | None:
    """Krippendorff's alpha (package `krippendorff`); one row a rater, one column a thing, None where it gave none.

    Missing where no thing has two ratings, or all ratings are the same, since chance cannot be told then.
    """
    kinds = sorted({one for row in ratings for one in row if one is not None}, key=lambda one: (str(type(one)), one))
    rated_twice = any(sum(one is not None for one in column) > 1 for column in zip(*ratings, strict=True))
    if len(kinds) < 2 or not rated_twice:
        return None
    value = {kind: float(kinds.index(kind)) if isinstance(kind, str) else float(kind) for kind in kinds}
    data = [[float("nan") if one is None else value[one] for one in row] for row in ratings]
    found = float(_science("krippendorff").alpha(reliability_data=data, level_of_measurement=level))
    return found if found == found else None


def kendall_w(ranks: Sequence[Sequence[float]]) -> float | None:
    """Kendall's W = 12S/(m²(n³ − n) − mΣ_jΣ(t³ − t)) of m raters (rows) of n things, ties at their mean rank.

    Missing where every rater ties everything, and with fewer than two things or raters (Kendall & Smith 1939).
    """
    m, n = len(ranks), len(ranks[0]) if ranks else 0
    if m < 2 or n < 2:
        return None
    mean = [mean_ranks(row) for row in ranks]
    sums = [sum(column) for column in zip(*mean, strict=True)]
    spread = sum((one - m * (n + 1) / 2) ** 2 for one in sums)
    ties = sum(row.count(one) ** 3 - row.count(one) for row in mean for one in set(row))
    most = m * m * (n**3 - n) - m * ties
    return 12 * spread / most if most > 0 else None


def mean_ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value, from 1 for the least; equal values share the mean of their ranks."""
    return [sum(one < value for one in values) + (sum(one == value for one in values) + 1) / 2 for value in values]


def kendall_tau(order: Sequence[str], truth: Sequence[str]) -> float | None:
    """Kendall's τ between two orders of the same things, first to last; missing with fewer than two."""
    if len(truth) < 2:
        return None
    place = {thing: number for number, thing in enumerate(truth)}
    found = _science("scipy.stats").kendalltau([place[thing] for thing in order], range(len(truth)))
    return float(found.statistic)


def rank_distance(order: Sequence[str], truth: Sequence[str]) -> int:
    """Σ|r − r*| over all things, r the rank given and r* the true one (Spearman's footrule)."""
    return sum(abs(order.index(thing) - number) for number, thing in enumerate(truth))


def _science(module: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        if (missing.name or "").split(".")[0] != module.split(".")[0]:
            raise
        raise Refused("measures", module, 'agreement needs: pip install "moot[science]"') from None
