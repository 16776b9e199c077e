"""Same answers, and what most have given."""

import pytest
from moot.app.experiment.measures import Answer, compute_credit, is_same_answer, pick_plurality


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("A", "A", True),
        ("A", "a", False),
        (100.0, 101.0, True),  # 1 % of the larger
        (100.0, 101.02, False),
        (-100.0, -101.0, True),
        (-1.0, 1.0, False),
        (0.0, 0.0, True),
        (0.0, 1e-9, False),
        ("1", 1.0, False),
    ],
)
def test_two_numbers_within_a_hundredth_are_the_same_answer(one: Answer, other: Answer, alike: bool) -> None:
    assert is_same_answer(one, other) is is_same_answer(other, one) is alike


@pytest.mark.parametrize(
    ("answers", "winners"),
    [
        (["A", "B", "A"], ["A"]),
        (["B", "A"], ["B", "A"]),
        ([], []),
        ([100.0, 150.0, 100.5, 150.5, 101.0], [100.5]),
        ([100.0, 100.9, 101.8, 300.0, 300.0], [100.9]),  # a chain: the middle one is the same as both others
        ([100.0, 200.0], [100.0, 200.0]),
        ([1.0, "A", "A"], ["A"]),
    ],
)
def test_a_majority_is_the_largest_cluster_of_the_same_answers(answers: list[Answer], winners: list[Answer]) -> None:
    assert pick_plurality(answers) == winners


@pytest.mark.parametrize(
    ("winners", "truth", "given"),
    [(["A"], "A", 1), (["A", "B"], "B", 1 / 2), (["A", "B", "C"], "D", 0), ([], "A", 0), ([99.5], 100.0, 1)],
)
def test_a_tie_is_right_by_its_share(winners: list[Answer], truth: Answer, given: float) -> None:
    assert compute_credit(winners, truth) == given
