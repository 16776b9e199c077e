"""Agreement of judges, participants or rankings."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, Literal

from ....state.errors import InputError
from .answer_equality import Answer


def compute_alpha(
    ratings: Sequence[Sequence[Answer | None]], level: Literal["nominal", "ordinal", "interval"] = "nominal"
) -> float | None:
    """Return Krippendorff's alpha of ratings (package `krippendorff`); rows are raters, columns things.

    `None` stands for a missing rating. Returns `None` if no thing has two ratings, or if all ratings are equal,
    since the chance agreement is then unknown.
    """
    categories = sorted(
        {rating for row in ratings for rating in row if rating is not None},
        key=lambda rating: (str(type(rating)), rating),
    )
    has_repeated_rating = any(sum(rating is not None for rating in column) > 1 for column in zip(*ratings, strict=True))
    if len(categories) < 2 or not has_repeated_rating:
        return None
    value_by_category = {
        category: float(categories.index(category)) if isinstance(category, str) else float(category)
        for category in categories
    }
    rating_values = [
        [float("nan") if rating is None else value_by_category[rating] for rating in row] for row in ratings
    ]
    coefficient = float(
        _import_science("krippendorff").alpha(reliability_data=rating_values, level_of_measurement=level)
    )
    return coefficient if coefficient == coefficient else None


def compute_kendall_w(ranks: Sequence[Sequence[float]]) -> float | None:
    """Return Kendall's W = 12S/(m²(n³ − n) − mΣ_jΣ(t³ − t)) of m raters (rows) and n things.

    Ties get their mean rank. Returns `None` if every rater ties everything, and with fewer than two things or raters
    (Kendall & Smith 1939).
    """
    m, n = len(ranks), len(ranks[0]) if ranks else 0
    if m < 2 or n < 2:
        return None
    mean_ranks = [compute_mean_ranks(row) for row in ranks]
    sums = [sum(column) for column in zip(*mean_ranks, strict=True)]
    spread = sum((rank_sum - m * (n + 1) / 2) ** 2 for rank_sum in sums)
    ties = sum(row.count(rank) ** 3 - row.count(rank) for row in mean_ranks for rank in set(row))
    maximum = m * m * (n**3 - n) - m * ties
    return 12 * spread / maximum if maximum > 0 else None


def compute_mean_ranks(values: Sequence[float]) -> list[float]:
    """Return the rank of each value, from 1 for the smallest; equal values share the mean of their ranks."""
    return [
        sum(other_value < value for other_value in values)
        + (sum(other_value == value for other_value in values) + 1) / 2
        for value in values
    ]


def compute_kendall_tau(order: Sequence[str], truth: Sequence[str]) -> float | None:
    """Return Kendall's τ between two orders of the same things; `None` with fewer than two."""
    if len(truth) < 2:
        return None
    position_by_thing = {thing: number for number, thing in enumerate(truth)}
    correlation = _import_science("scipy.stats").kendalltau(
        [position_by_thing[thing] for thing in order], range(len(truth))
    )
    return float(correlation.statistic)


def compute_rank_distance(order: Sequence[str], truth: Sequence[str]) -> int:
    """Return Σ|r − r*| over all things, r the given rank and r* the true one (Spearman's footrule)."""
    return sum(abs(order.index(thing) - number) for number, thing in enumerate(truth))


def _import_science(module_name: str) -> Any:
    try:
        return import_module(module_name)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != module_name.split(".")[0]:
            raise
        raise InputError("measures", module_name, 'agreement needs: pip install "moot[science]"') from None
