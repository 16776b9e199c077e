"""Diversity of answers relative to the possible ones."""

import math
from collections.abc import Callable, Sequence

from .answer_equality import TOLERANCE, Answer, group_answers
from .positions import PositionHistory, ValuesByItem


def compute_entropy(
    answers: Sequence[Answer], option_count: int | None = None, tolerance: float = TOLERANCE
) -> float | None:
    """Return the entropy −Σ p ln p / ln min(N, K) of N answers, from 0 (all the same) to 1.

    K is `option_count`; `None` for numbers. Returns `None` if only one answer is possible.
    """
    max_distinct = len(answers) if option_count is None else min(len(answers), option_count)
    if max_distinct < 2:
        return None
    return abs(sum(p * math.log(p) for p in _compute_shares(answers, tolerance))) / math.log(max_distinct)


def compute_simpson(answers: Sequence[Answer], tolerance: float = TOLERANCE) -> float | None:
    """Return the chance that two members, drawn without replacement, answer differently.

    It is (1 − Σ p²)·N/(N − 1).
    """
    n = len(answers)
    return (1 - sum(p * p for p in _compute_shares(answers, tolerance))) * n / (n - 1) if n > 1 else None


def _compute_shares(answers: Sequence[Answer], tolerance: float) -> list[float]:
    return [len(group) / len(answers) for group in group_answers(answers, tolerance)]


def collect_entropies(runs: Sequence[PositionHistory], time: int) -> ValuesByItem:
    """Return the entropy of each run's answers at index `time`, by item."""
    return _collect_values(
        runs, time, lambda run, answers: compute_entropy(answers, len(run.options) or None, run.tolerance)
    )


def collect_simpsons(runs: Sequence[PositionHistory], time: int) -> ValuesByItem:
    """Return Simpson's diversity of each run's answers at index `time`, by item."""
    return _collect_values(runs, time, lambda run, answers: compute_simpson(answers, run.tolerance))


def _collect_values(
    runs: Sequence[PositionHistory], time: int, measure: Callable[[PositionHistory, Sequence[Answer]], float | None]
) -> ValuesByItem:
    values: ValuesByItem = {run.item: [] for run in runs}
    for run in runs:
        value = measure(run, run.list_answers(time)) if -run.time_count <= time < run.time_count else None
        if value is not None:
            values[run.item].append(value)
    return values
