"""Equality of answers, and the most frequent answer."""

from collections.abc import Sequence
from statistics import median

Answer = str | float
"""Id of an option, or a number."""

TOLERANCE = 0.01
"""Share by which two numbers may differ and be the same answer."""


def is_same_answer(first: Answer, second: Answer, tolerance: float = TOLERANCE) -> bool:
    """Return whether two answers are the same: one option, or two numbers within a share of the larger."""
    if isinstance(first, str) or isinstance(second, str):
        return first == second
    return abs(first - second) <= tolerance * max(abs(first), abs(second))


def group_answers(answers: Sequence[Answer], tolerance: float = TOLERANCE) -> list[list[int]]:
    """Return the indices of equal answers as clusters, largest first; each answer is in one cluster.

    Numbers gather around the one with the most others within tolerance (in a tie, the smallest). The rest gathers anew.
    Clusters of one size stand in the order of their first answer.
    """
    options: dict[str, list[int]] = {}
    numbers: list[tuple[int, float]] = []
    for index, answer in enumerate(answers):
        if isinstance(answer, str):
            options.setdefault(answer, []).append(index)
        else:
            numbers.append((index, answer))
    return sorted(
        [*options.values(), *_group_numbers(numbers, tolerance)], key=lambda cluster: (-len(cluster), cluster[0])
    )


def _group_numbers(numbers: list[tuple[int, float]], tolerance: float) -> list[list[int]]:
    """Return the indices of numbers that are the same, the largest group first."""
    groups = []
    while numbers:
        near = [
            [index for index, number in numbers if is_same_answer(centre_number, number, tolerance)]
            for _, centre_number in numbers
        ]
        largest = max(map(len, near))
        _, group = min(
            (number, indices) for (_, number), indices in zip(numbers, near, strict=True) if len(indices) == largest
        )
        groups.append(group)
        numbers = [pair for pair in numbers if pair[0] not in group]
    return groups


def pick_plurality(answers: Sequence[Answer], tolerance: float = TOLERANCE) -> list[Answer]:
    """Return the most frequent answers, several for a tie; the median stands for a cluster of numbers."""
    groups = group_answers(answers, tolerance)
    return [pick_centre([answers[index] for index in group]) for group in groups if len(group) == len(groups[0])]


def pick_centre(answers: Sequence[Answer]) -> Answer:
    """Return the answer that represents a cluster: the option, or the median of the numbers."""
    numbers = [answer for answer in answers if not isinstance(answer, str)]
    return float(median(numbers)) if numbers else answers[0]


def compute_credit(winners: Sequence[Answer], truth: Answer, tolerance: float = TOLERANCE) -> float:
    """Return 1/#winners if the truth is among them, else 0; 0 without a winner."""
    return 1 / len(winners) if any(is_same_answer(winner, truth, tolerance) for winner in winners) else 0.0


def format_full_number(number: float) -> str:
    """Return a number with all its digits, up to 15."""
    return f"{number:.15g}"
