"""Equality, agreement and diversity of answers, ratings and rankings, and inequality of speech."""

import math
from collections.abc import Sequence
from importlib import import_module
from itertools import pairwise
from statistics import median
from typing import Any, Literal

from ....state import InputError

Answer = str | float
"""Id of an option, or a number."""

TOLERANCE = 0.01
"""Share by which two numbers may differ and still be the same answer."""


def is_same_answer(first: Answer, second: Answer, tolerance: float = TOLERANCE) -> bool:
    """Return whether two answers count as the same: one option, or two numbers within `tolerance`.

    `tolerance` is a share of the larger number.
    """
    if isinstance(first, str) or isinstance(second, str):
        return first == second
    return abs(first - second) <= tolerance * max(abs(first), abs(second))


def group_answers(answers: Sequence[Answer], tolerance: float = TOLERANCE) -> list[list[int]]:
    """Group equal answers into clusters of indices, largest cluster first.

    Each number has neighbors: the other numbers within the tolerance. The first cluster is the number with the most
    neighbors, together with them. A tie goes to the smallest number. The remaining numbers are clustered the same way.
    Clusters of equal size keep the order of their first answers.
    """
    options: dict[str, list[int]] = {}
    numbers: dict[int, float] = {}
    for index, answer in enumerate(answers):
        if isinstance(answer, str):
            options.setdefault(answer, []).append(index)
        else:
            numbers[index] = answer
    groups = list(options.values())
    while numbers:
        neighbours = []
        for centre in numbers.values():
            group = [index for index, number in numbers.items() if is_same_answer(centre, number, tolerance)]
            neighbours.append((-len(group), centre, group))
        groups.append(min(neighbours)[2])
        numbers = {index: number for index, number in numbers.items() if index not in groups[-1]}
    return sorted(groups, key=lambda group: (-len(group), group[0]))


def label_answers(answers: Sequence[Answer], tolerance: float = TOLERANCE) -> list[int]:
    """Return the number of each answer's cluster. Equal answers have the same number."""
    labels = {index: number for number, group in enumerate(group_answers(answers, tolerance)) for index in group}
    return [labels[index] for index in range(len(answers))]


def pick_plurality(answers: Sequence[Answer], tolerance: float = TOLERANCE) -> list[Answer]:
    """Return the most common answer as a list, with several answers if tied.

    A cluster of near numbers gives its median.
    """
    groups = group_answers(answers, tolerance)
    return [
        pick_cluster_answer([answers[index] for index in group]) for group in groups if len(group) == len(groups[0])
    ]


def pick_cluster_answer(answers: Sequence[Answer]) -> Answer:
    """Return the answer that represents a cluster: the option, or the median of the numbers."""
    numbers = [answer for answer in answers if not isinstance(answer, str)]
    return float(median(numbers)) if numbers else answers[0]


def compute_credit(winners: Sequence[Answer], truth: Answer, tolerance: float = TOLERANCE) -> float:
    """Return the credit of winning answers: 1 divided by their number if one is right, otherwise 0."""
    return 1 / len(winners) if any(is_same_answer(winner, truth, tolerance) for winner in winners) else 0.0


def format_full_number(number: float) -> str:
    """Return a number as text with all its digits, up to 15."""
    return f"{number:.15g}"


def compute_krippendorff_alpha(
    ratings: Sequence[Sequence[Answer | None]], level: Literal["nominal", "ordinal", "interval"] = "nominal"
) -> float | None:
    """Compute Krippendorff's alpha of ratings (package `krippendorff`). Rows are raters, columns objects.

    In `ratings`, `None` stands for a missing rating. Returns `None` if no thing has two ratings. Also returns `None` if
    all ratings are equal, because agreement by chance is then unknown.
    """
    known_ratings = {rating for row in ratings for rating in row if rating is not None}
    categories = sorted(known_ratings, key=lambda rating: (str(type(rating)), rating))
    has_repeated_rating = any(sum(rating is not None for rating in column) > 1 for column in zip(*ratings, strict=True))
    if len(categories) < 2 or not has_repeated_rating:
        return None
    numbers: dict[Answer | None, float] = {None: math.nan}
    for index, category in enumerate(categories):
        numbers[category] = float(index if isinstance(category, str) else category)
    rows = [[numbers[rating] for rating in row] for row in ratings]
    coefficient = float(_import_science("krippendorff").alpha(reliability_data=rows, level_of_measurement=level))
    return None if math.isnan(coefficient) else coefficient


def compute_kendall_w(ranks: Sequence[Sequence[float]]) -> float | None:
    """Compute Kendall's W, how well m raters (rows) agree in ranking n things.

    W = 12S/(m²(n³ − n) − mΣ_jΣ(t³ − t)). Tied things get their mean rank. Returns `None` if every rater ranks all
    things equally, or with fewer than two things or raters (Kendall & Smith 1939).
    """
    m, n = len(ranks), len(ranks[0]) if ranks else 0
    if m < 2 or n < 2:
        return None
    mean_ranks = [[sum(lower < rank for lower in row) + (row.count(rank) + 1) / 2 for rank in row] for row in ranks]
    sums = [sum(column) for column in zip(*mean_ranks, strict=True)]
    spread = sum((rank_sum - m * (n + 1) / 2) ** 2 for rank_sum in sums)
    ties = sum(row.count(rank) ** 3 - row.count(rank) for row in mean_ranks for rank in set(row))
    maximum = m * m * (n**3 - n) - m * ties
    return 12 * spread / maximum if maximum > 0 else None


def compute_kendall_tau(order: Sequence[str], truth: Sequence[str]) -> float | None:
    """Compute Kendall's τ between two orders of the same things; `None` for fewer than two things."""
    if len(truth) < 2:
        return None
    position_by_thing = {thing: number for number, thing in enumerate(truth)}
    positions = [position_by_thing[thing] for thing in order]
    return float(_import_science("scipy.stats").kendalltau(positions, range(len(truth))).statistic)


def compute_footrule(order: Sequence[str], truth: Sequence[str]) -> int:
    """Compute Spearman's footrule: Σ|r − r*| over all things, with rank r and true rank r*."""
    return sum(abs(order.index(thing) - number) for number, thing in enumerate(truth))


def compute_entropy(
    answers: Sequence[Answer], option_count: int | None = None, tolerance: float = TOLERANCE
) -> float | None:
    """Compute the entropy of N answers: 0 if all are the same, 1 if they are spread evenly.

    It is −Σ p ln p / ln min(N, K). `option_count`: K, or `None` for numbers. Returns `None` if only one answer is
    possible.
    """
    max_distinct = len(answers) if option_count is None else min(len(answers), option_count)
    if max_distinct < 2:
        return None
    return abs(sum(p * math.log(p) for p in _compute_shares(answers, tolerance))) / math.log(max_distinct)


def compute_simpson(answers: Sequence[Answer], tolerance: float = TOLERANCE) -> float | None:
    """Compute the probability that two different members, drawn at random, have different answers.

    The probability is (1 − Σ p²)·N/(N − 1). Returns `None` for fewer than two answers.
    """
    n = len(answers)
    return (1 - sum(p * p for p in _compute_shares(answers, tolerance))) * n / (n - 1) if n > 1 else None


def compute_gini(amounts: Sequence[float]) -> float | None:
    """Compute the Gini coefficient of spoken amounts: 0 if all are equal, 1 for a single speaker.

    It is multiplied by n/(n − 1), the correction of Deltas 2003, Rev. Economics & Statistics 85:226. Returns `None`
    without any speech or with fewer than two amounts.
    """
    n, total = len(amounts), sum(amounts)
    if n < 2 or total <= 0:
        return None
    area = sum((after - before) * k * (n - k) for k, (before, after) in enumerate(pairwise(sorted(amounts)), 1))
    return area / (total * (n - 1))


def _compute_shares(answers: Sequence[Answer], tolerance: float) -> list[float]:
    return [len(group) / len(answers) for group in group_answers(answers, tolerance)]


def _import_science(module_name: str) -> Any:
    try:
        return import_module(module_name)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != module_name.split(".")[0]:
            raise
        raise InputError("measures", module_name, 'agreement needs: pip install "moot[science]"') from None
