"""Accuracy by arm, gains, and what a spend buys."""

from math import comb

import pytest
from moot.app.experiment.measures import (
    COMPARISONS,
    FailureRule,
    Spend,
    Unit,
    collect_accuracies,
    collect_gains,
    compute_accuracy_curve,
    count_samples_for_spend,
    interpolate_credit,
)
from moot.state.independent import compute_affordable_samples

UNITS = [
    Unit("1", {"single": 0, "vote": 0.5, "talk": 1, "samples_calls": 1}),
    Unit("1", {"single": 0, "vote": 1, "talk": 0, "samples_calls": 1}, repeat=2),
    Unit("2", {"single": 1, "vote": 1, "talk": None, "samples_calls": 0}),
]


def test_gains_are_differences_of_arms_on_the_same_item_and_repeat() -> None:
    assert {name: collect_gains(UNITS, *COMPARISONS[name]) for name in ("voting", "talking", "net_calls")} == {
        "voting": {"1": [0.5, 1], "2": [0]},
        "talking": {"1": [0.5, -1], "2": [-1]},  # the failed talk counts as wrong
        "net_calls": {"1": [0, -1], "2": [0]},
    }
    assert collect_gains(UNITS, *COMPARISONS["talking"], "left out") == {"1": [0.5, -1], "2": []}
    assert collect_accuracies(UNITS, "vote") == {"1": [0.5, 1], "2": [1]}
    assert collect_accuracies(UNITS, "talk", "left out") == {"1": [1, 0], "2": []}


def test_swapped_pairs_are_averaged_before_anything_else() -> None:
    units = [
        Unit("1", {"talk": 1, "vote": 0}, swap=""),
        Unit("1", {"talk": 0, "vote": 1}, swap="sides"),
        Unit("1", {"talk": 1, "vote": 0}, repeat=2),
        Unit("1", {"talk": None, "vote": 0}, repeat=2, swap="sides"),
    ]
    assert collect_gains(units, "talk", "vote") == {"1": [0, 0.5]}
    assert collect_gains(units, "talk", "vote", "left out") == {"1": [0]}


@pytest.mark.parametrize(
    ("talk", "sample", "drawn"),
    [
        ((12, 6000), (1, 300), 25),  # tokens buy 20 samples
        ((12, 2000), (1, 300), 15),  # calls buy 12
        ((12, 30_000), (1, 300), 125),
        ((3, 100), (1, 300), 4),
    ],
)
def test_a_quarter_more_samples_are_drawn_than_the_talk_s_spend_buys(
    talk: tuple[int, int], sample: tuple[int, int], drawn: int
) -> None:
    assert compute_affordable_samples(talk, sample) == drawn


@pytest.mark.parametrize(
    ("talk", "calls", "tokens"),
    [(Spend(3, 250), 3, 1.75), (Spend(5, 325), None, 2.5), (Spend(1, 401), 1, None), (Spend(0.5, 0), 0.5, 0)],
)
def test_samples_are_counted_until_the_talk_s_spend_is_reached(
    talk: Spend, calls: float | None, tokens: float | None
) -> None:
    spent = [Spend(1, 100), Spend(1, 200), Spend(1, 50), Spend(1, 50)]
    assert (count_samples_for_spend(spent, talk, "calls"), count_samples_for_spend(spent, talk, "tokens")) == (
        calls,
        tokens,
    )


def test_between_two_numbers_of_samples_their_credits_are_interpolated() -> None:
    assert interpolate_credit([0.3, 0.4, 0.424, 0.436], 3.5) == pytest.approx(0.430)
    assert interpolate_credit([0.3, 0.4], 0.5) == pytest.approx(0.15), "no sample has no credit"
    assert interpolate_credit([0.3, 0.4], 2) == 0.4


def test_a_missing_run_is_wrong_and_bounds_take_it_at_the_worst_and_the_best() -> None:
    unit = Unit("1", {"talk": 1.0, "vote": 1.0}, failures={"talk": "unreachable"})  # a later retry was right
    rules: tuple[FailureRule, ...] = ("wrong", "left out", "worst", "best")
    assert [collect_gains([unit], "talk", "vote", rule)["1"] for rule in rules] == [[-1], [0], [-1], [0]]
    refused = Unit("1", {"talk": None, "vote": 1.0}, failures={"talk": "refused"})
    assert [collect_gains([refused], "talk", "vote", rule)["1"] for rule in rules] == [[-1], [], [-1], [-1]]


def test_ties_are_lost_and_won_at_the_ends_of_a_gain() -> None:
    rules: tuple[FailureRule, ...] = ("wrong", "ties lost", "ties won")
    unit = Unit("1", {"talk": 0.5, "vote": 0.5, "single": 0.5}, ties=["talk", "vote"])
    assert [collect_gains([unit], "talk", "vote", rule)["1"] for rule in rules] == [[0], [-1], [1]]
    assert [collect_gains([unit], "talk", "single", rule)["1"] for rule in rules] == [[0], [-0.5], [0.5]]
    failed = Unit("1", {"talk": 0.5, "vote": 0.0}, failures={"talk": "refused"}, ties=["talk"])
    assert [collect_gains([failed], "talk", "vote", rule)["1"] for rule in rules] == [[0], [0], [0]]


def test_accuracy_at_k_is_that_of_all_subsets_where_they_are_few() -> None:
    # Of A A B: one alone is right 2/3; of the pairs AA, AB, AB: (1 + ½ + ½)/3; all three: 1.
    assert compute_accuracy_curve("AAB", "A", seed=1, purpose=["1"]) == pytest.approx([2 / 3, 2 / 3, 1])
    assert compute_accuracy_curve([100.0, 100.5, 7.0], 100.2, seed=1, purpose=["1"]) == pytest.approx([2 / 3, 2 / 3, 1])


def test_accuracy_at_k_is_drawn_where_subsets_are_many_and_drawn_the_same_again() -> None:
    answers = "A" * 18 + "B" * 12
    accuracy_curve = compute_accuracy_curve(answers, "A", seed=1, purpose=["1"])
    assert (
        accuracy_curve
        == compute_accuracy_curve(answers, "A", seed=1, purpose=["1"])
        != compute_accuracy_curve(answers, "A", seed=2, purpose=["1"])
    )
    for k in (1, 5, 8, 15, 30):
        total = comb(30, k)
        known = (
            sum(comb(18, a) * comb(12, k - a) * (1 if 2 * a > k else 0.5 * (2 * a == k)) for a in range(k + 1)) / total
        )
        assert accuracy_curve[k - 1] == pytest.approx(known, abs=0.035)  # three standard errors of 2,000 draws
    assert accuracy_curve[-1] == 1
