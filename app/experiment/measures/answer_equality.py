"""Comparison of answers, and the most common answer."""

from collections.abc import Sequence
from statistics import median

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

    The first cluster consists of the number with the most others within its tolerance, and of these others. If several
    numbers are tied, the smallest is taken. The remaining numbers form clusters in the same way. Clusters of equal size
    keep the order of their first answers.
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
    """Return the number of each answer's cluster; equal answers have the same one."""
    labels = {index: number for number, group in enumerate(group_answers(answers, tolerance)) for index in group}
    return [labels[index] for index in range(len(answers))]


def pick_plurality(answers: Sequence[Answer], tolerance: float = TOLERANCE) -> list[Answer]:
    """Return the most common answers, several if tied. A cluster of numbers gives its median."""
    groups = group_answers(answers, tolerance)
    return [
        pick_cluster_answer([answers[index] for index in group]) for group in groups if len(group) == len(groups[0])
    ]


def pick_cluster_answer(answers: Sequence[Answer]) -> Answer:
    """Return the answer that represents a cluster: the option, or the median of the numbers."""
    numbers = [answer for answer in answers if not isinstance(answer, str)]
    return float(median(numbers)) if numbers else answers[0]


def compute_credit(winners: Sequence[Answer], truth: Answer, tolerance: float = TOLERANCE) -> float:
    """Return 1 divided by the number of winners if the truth is among them, else 0."""
    return 1 / len(winners) if any(is_same_answer(winner, truth, tolerance) for winner in winners) else 0.0


def format_full_number(number: float) -> str:
    """Format a number with all its digits, up to 15."""
    return f"{number:.15g}"
