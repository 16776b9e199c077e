"""Quantiles, pooled distributions and the ends of a Delphi, by hand."""

from typing import Any

import pytest
from moot.state.delphi import (
    DelphiSettings,
    ExpertEstimate,
    compute_pooled_quantile,
    compute_quantile,
    map_changed_estimates,
    summarize_estimates,
)
from moot.state.delphi.stopping_rules import stop_on_convergence, stop_on_expert_agreement, stop_on_stable_estimates
from moot.state.positions import build_answer_format
from pydantic import ValidationError

QUARTILES = [
    ([7.0], 7, 7, 7),
    ([1.0, 2.0], 1.25, 1.5, 1.75),
    ([3.0, 1.0, 2.0], 1.5, 2, 2.5),
    ([1.0, 2.0, 3.0, 4.0], 1.75, 2.5, 3.25),
    ([10.0, 20.0, 30.0, 40.0, 50.0], 20, 30, 40),
    ([5.0, 5.0, 5.0, 9.0], 5, 5, 6),
]


@pytest.mark.parametrize(("values", "first", "median", "third"), QUARTILES)
def test_quartiles_lie_on_the_line_between_order_statistics(
    values: list[float], first: float, median: float, third: float
) -> None:
    assert [compute_quantile(values, share) for share in (0.25, 0.5, 0.75)] == pytest.approx([first, median, third])


POOLED: list[tuple[list[tuple[float, float, float]], dict[float, float]]] = [
    # one expert: its own quantiles, and tails to 10 % of its 20 beyond
    ([(10, 20, 30)], {0.0: 8, 0.025: 9, 0.05: 10, 0.275: 15, 0.5: 20, 0.725: 25, 0.95: 30, 0.975: 31, 1.0: 32}),
    # two quantiles alike: a step
    ([(10, 10, 30)], {0.05: 10, 0.3: 10, 0.5: 10, 0.725: 20}),
    # all alike
    ([(4, 4, 4), (4, 4, 4)], {0.05: 4, 0.5: 4, 0.95: 4}),
    # at 15 the first has .95 + .05 · 5/23 and the second .05 · 18/23; at 5 they have .5 and .05 · 8/23
    ([(0, 5, 10), (20, 25, 30)], {0.5: 15, (0.5 + 0.05 * 8 / 23) / 2: 5}),
]


@pytest.mark.parametrize(("experts", "at"), POOLED)
def test_the_pool_is_uniform_between_quantiles_with_tails_and_equal_weights(
    experts: list[tuple[float, float, float]], at: dict[float, float]
) -> None:
    assert {share: compute_pooled_quantile(experts, share) for share in at} == pytest.approx(at)


def make_estimates(round: int, *numbers: float) -> list[ExpertEstimate]:
    return [
        ExpertEstimate(
            round=round, who=f"E{place}", answer=f"{number:g}", number=number, low=number - 10, high=number + 10
        )
        for place, number in enumerate(numbers, 1)
    ]


def chosen(round: int, letters: str) -> list[ExpertEstimate]:
    return [ExpertEstimate(round=round, who=f"E{place}", answer=letter) for place, letter in enumerate(letters, 1)]


NUMBER: dict[str, Any] = {"answer": {"number": "kg"}}
CHOICE: dict[str, Any] = {"options": {"A": "tea", "B": "coffee"}}


def test_what_is_told_are_figures_and_the_reasons_outside_the_quartiles() -> None:
    told = summarize_estimates(1, make_estimates(1, 10, 20, 30, 40, 50), build_answer_format(DelphiSettings(**NUMBER)))
    assert (told.first_quartile, told.median, told.third_quartile) == (20, 30, 40)
    assert (told.lowest, told.highest, told.estimate_count) == (10, 50, 5)
    assert [reason.number for reason in told.reasons] == [10, 50]


COUNTS = [("AAAB", {"A": 3, "B": 1}, ["E4"]), ("AB", {"A": 1, "B": 1}, ["E1", "E2"]), ("BB", {"A": 0, "B": 2}, [])]


@pytest.mark.parametrize(("letters", "counts", "minority"), COUNTS)
def test_of_options_the_counts_and_the_minority_are_told(
    letters: str, counts: dict[str, int], minority: list[str]
) -> None:
    told = summarize_estimates(1, chosen(1, letters), build_answer_format(DelphiSettings(**CHOICE)))
    assert (told.counts, [reason.who for reason in told.reasons]) == (counts, minority)


def test_who_moved_is_who_ended_elsewhere_than_it_began() -> None:
    assert list(
        map_changed_estimates([*make_estimates(1, 10, 20), *make_estimates(2, 10, 25), *make_estimates(3, 10, 22)])
    ) == ["E2"]


WIDE, WIDER = [50, 100, 150], [50, 120, 150]
ENDS: list[tuple[list[Any], dict[str, Any], str]] = [
    ([[90, 100, 110]], NUMBER, "spread"),
    ([[89, 100, 111]], NUMBER, ""),
    ([[89, 100, 111]], NUMBER | {"max_spread": "11 absolute"}, "spread"),
    ([[89, 100, 111]], NUMBER | {"max_spread": "10.9 absolute"}, ""),
    ([WIDE, WIDE], NUMBER, ""),
    ([WIDE, WIDE, WIDE], NUMBER, "stability"),
    ([WIDE, WIDE, WIDE], NUMBER | {"dynamic_termination": False}, ""),
    ([WIDE, WIDER, WIDER], NUMBER, ""),
    ([WIDE, WIDER, WIDER], NUMBER | {"max_median_shift": 0.2}, "stability"),
    ([WIDE, WIDER, WIDER, WIDER], NUMBER, "stability"),
    (["AAAB"], CHOICE, "agreement"),
    (["AAB"], CHOICE, ""),
    (["AAB"], CHOICE | {"agreement_share": 0.66}, "agreement"),
    (["AAB", "AAB", "ABA"], CHOICE, "stability"),
    (["AAB", "ABB", "ABB"], CHOICE, ""),
    ([[10, 50, 90, 130, 170], [100, 100]], NUMBER, ""),
    ([[10, 50, 90, 130, 170], [100, 100, 100]], NUMBER, "spread"),
    ([[50, 150], [100]], NUMBER, ""),
    ([WIDE, [100], WIDE, WIDE], NUMBER, ""),
    (["AABB", "A"], CHOICE, ""),
    (["AABB", "AA"], CHOICE, "agreement"),
]
"""Courses of estimates, one round after the other; whoever is missing from a round gave none."""


@pytest.mark.parametrize(("course", "settings", "strategy"), ENDS)
def test_when_a_delphi_is_done(course: list[Any], settings: dict[str, Any], strategy: str) -> None:
    rules = DelphiSettings(**settings)
    question = build_answer_format(rules)
    rounds = [make_estimates(n, *one) if question.is_numeric else chosen(n, one) for n, one in enumerate(course, 1)]
    feedback = [summarize_estimates(n, round_number, question) for n, round_number in enumerate(rounds, 1)]
    experts = range(max(len(one) for one in course))
    state: Any = {"settings": rules, "feedback": feedback, "participants": experts, "round": len(course)}
    found = next(
        (
            one
            for rule in (stop_on_expert_agreement, stop_on_convergence, stop_on_stable_estimates)
            if (one := rule(state))
        ),
        None,
    )
    assert (found.strategy if found else "") == strategy


@pytest.mark.parametrize("spread", ["10%", "-1 absolute", "0.1", "2 kg"])
def test_a_spread_that_says_no_width_is_refused_with_one_that_does(spread: str) -> None:
    with pytest.raises(ValidationError, match=r"spread: write 0\.1 relative \(to the median\) or 2 absolute"):
        DelphiSettings(max_spread=spread)


def test_a_unit_is_never_guessed() -> None:
    with pytest.raises(ValidationError):
        DelphiSettings.model_validate({"answer": "none"})
    assert build_answer_format(DelphiSettings()).unit == ""
