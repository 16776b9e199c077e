"""How far answers are spread over those that could be given."""

import math
from collections.abc import Callable, Sequence

from .answers import TOLERANCE, Answer, clusters
from .positions import Positions, Values


def entropy(answers: Sequence[Answer], options: int | None = None, tolerance: float = TOLERANCE) -> float | None:
    """−Σ p ln p / ln min(N, K), from 0 (all the same) to 1; K `options`, none for numbers.

    Missing where only one answer is possible.
    """
    most = len(answers) if options is None else min(len(answers), options)
    if most < 2:
        return None
    return abs(sum(p * math.log(p) for p in _shares(answers, tolerance))) / math.log(most)


def simpson(answers: Sequence[Answer], tolerance: float = TOLERANCE) -> float | None:
    """The chance that two members, drawn without putting back, answer differently: (1 − Σ p²)·N/(N − 1)."""
    n = len(answers)
    return (1 - sum(p * p for p in _shares(answers, tolerance))) * n / (n - 1) if n > 1 else None


def _shares(answers: Sequence[Answer], tolerance: float) -> list[float]:
    return [len(one) / len(answers) for one in clusters(answers, tolerance)]


def entropies(runs: Sequence[Positions], time: int) -> Values:
    """The entropy of each run at a time."""
    return _each(runs, time, lambda run, given: entropy(given, len(run.options) or None, run.tolerance))


def simpsons(runs: Sequence[Positions], time: int) -> Values:
    """Simpson's diversity of each run at a time."""
    return _each(runs, time, lambda run, given: simpson(given, run.tolerance))


def _each(runs: Sequence[Positions], time: int, of: Callable[[Positions, Sequence[Answer]], float | None]) -> Values:
    values: Values = {run.item: [] for run in runs}
    for run in runs:
        found = of(run, run.answers(time)) if -run.times <= time < run.times else None
        if found is not None:
            values[run.item].append(found)
    return values
