"""When two answers are the same, and which one most have given."""

from collections.abc import Sequence
from statistics import median

Answer = str | float
"""An option's id, or a number."""

TOLERANCE = 0.01
"""Share by which two numbers may differ and be the same answer."""


def same(one: Answer, other: Answer, tolerance: float = TOLERANCE) -> bool:
    """Whether two answers are the same: one option, or two numbers within a share of the larger."""
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return abs(one - other) <= tolerance * max(abs(one), abs(other))


def clusters(answers: Sequence[Answer], tolerance: float = TOLERANCE) -> list[list[int]]:
    """The places of answers that are the same, largest cluster first; every answer is in one.

    Numbers gather around the one with the most others within tolerance (among equals, the least), then what is left
    gathers anew. Clusters of one size stand in the order of their first answer.
    """
    options: dict[str, list[int]] = {}
    numbers: list[tuple[int, float]] = []
    for place, one in enumerate(answers):
        if isinstance(one, str):
            options.setdefault(one, []).append(place)
        else:
            numbers.append((place, one))
    return sorted([*options.values(), *_near(numbers, tolerance)], key=lambda one: (-len(one), one[0]))


def _near(left: list[tuple[int, float]], tolerance: float) -> list[list[int]]:
    """The places of numbers that are the same, the largest gathering first."""
    found = []
    while left:
        near = [[place for place, one in left if same(at, one, tolerance)] for _, at in left]
        most = max(map(len, near))
        _, chosen = min((at, places) for (_, at), places in zip(left, near, strict=True) if len(places) == most)
        found.append(chosen)
        left = [pair for pair in left if pair[0] not in chosen]
    return found


def plurality(answers: Sequence[Answer], tolerance: float = TOLERANCE) -> list[Answer]:
    """The answers most gave, several where they tie; a cluster of numbers by its median."""
    found = clusters(answers, tolerance)
    return [centre([answers[place] for place in one]) for one in found if len(one) == len(found[0])]


def centre(given: Sequence[Answer]) -> Answer:
    """What a cluster of answers that are the same stands for: the option, or the median of the numbers."""
    numbers = [one for one in given if not isinstance(one, str)]
    return float(median(numbers)) if numbers else given[0]


def credit(winners: Sequence[Answer], truth: Answer, tolerance: float = TOLERANCE) -> float:
    """1/#winners where the truth is among them, else 0; 0 without a winner."""
    return 1 / len(winners) if any(same(one, truth, tolerance) for one in winners) else 0.0


def written(number: float) -> str:
    """A number with all the digits it was given with, as far as 15."""
    return f"{number:.15g}"
