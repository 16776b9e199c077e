"""Evidence that may be looked at early, its confidence sequence, and certificates of votes."""

import math
from typing import Any

import numpy as np
import pytest
from moot.app.experiment.statistics import (
    certify_mode,
    compute_bounds,
    compute_lower_bound,
    compute_min_samples,
    estimate_at_stop,
    run_sequential_test,
)
from scipy import integrate, special


def closed_form(b: int, c: int) -> float:
    return float(2 ** (b + c + 1) * special.beta(b + 1, c + 1) * special.betaincc(b + 1, c + 1, 0.5))


@pytest.mark.parametrize(
    ("b", "c", "e"),
    [(25, 5, 486), (12, 2, 23.9), (18, 6, 9.9), (5, 25, 0.05), (6, 0, 18.1), (7, 0, 31.9), (9, 1, 18.5), (0, 0, 1)],
)
def test_the_evidence_of_pairs_is_the_closed_form(b: int, c: int, e: float) -> None:
    found = run_sequential_test([1.0] * b + [-1.0] * c).e
    assert found == pytest.approx(closed_form(b, c), rel=1e-9)
    assert found == pytest.approx(e, rel=0.07 if e < 1 else 0.005)


@pytest.mark.parametrize(
    ("way", "bound", "factor"),
    [
        ("above", 0.0, lambda d: d),
        ("below", 0.0, lambda d: -d),
        ("above", 0.1, lambda d: (d - 0.1) / 1.1),
        ("above", -0.1, lambda d: (d + 0.1) / 0.9),
        ("below", 0.1, lambda d: -(d - 0.1) / 0.9),
    ],
)
def test_shares_of_an_item_count_in_both_directions_and_against_a_bound(way, bound, factor) -> None:  # type: ignore[no-untyped-def]
    d = [0.5, -0.25, 1.0, 0.0, 0.75, -1.0, 0.3333]
    by_quadrature = integrate.quad(lambda x: math.prod(1 + x * factor(one) for one in d), 0, 1)[0]
    assert run_sequential_test(d, direction=way, bound=bound).e == pytest.approx(by_quadrature, rel=1e-9)


def test_either_direction_is_the_mean_of_the_two() -> None:
    d = [0.5, -0.25, 1.0, 0.75]
    assert run_sequential_test(d, direction="either").e == pytest.approx(
        (run_sequential_test(d).e + run_sequential_test(d, direction="below").e) / 2
    )


@pytest.mark.parametrize(("b", "c", "both", "least"), [(25, 5, (0.148, 0.949), 0.198), (12, 2, (-0.054, 0.991), 0.020)])
def test_the_confidence_sequence_of_pairs(b: int, c: int, both: tuple[float, float], least: float) -> None:
    d = [1.0] * b + [-1.0] * c
    assert compute_bounds(d) == pytest.approx(both, abs=5e-4)
    assert compute_lower_bound(d) == pytest.approx(least, abs=5e-4)
    found = estimate_at_stop({str(number): [value] for number, value in enumerate(d)})
    assert (found.value, found.low, found.high) == pytest.approx(((b - c) / (b + c), *both), abs=5e-4)


def test_the_confidence_sequence_keeps_to_what_is_possible() -> None:
    assert compute_bounds([-1.0] * 40)[0] == -1
    assert compute_bounds([1.0] * 40)[1] == 1
    shares = estimate_at_stop({str(number): [float(number % 4 > 0)] for number in range(40)}, lowest=0.0)
    assert shares.low is not None
    assert shares.high is not None
    assert 0 < shares.low < 0.75 < shares.high < 1


@pytest.mark.long
@pytest.mark.parametrize(("direction", "bound"), [("above", 0.05), ("above", -0.2), ("below", 0.3), ("below", -0.1)])
def test_the_rule_stops_when_the_one_sided_bound_passes_its_own(direction: Any, bound: float) -> None:
    draw = np.random.default_rng(3)
    for share in (0.2, 0.45, 0.8):
        d = list(np.where(draw.random(60) < share, 1.0, -1.0))
        stopping_time = run_sequential_test(d, direction=direction, bound=bound).stopping_time
        passed = []
        for number in range(1, 61):
            least, most = compute_lower_bound(d[:number]), -compute_lower_bound([-one for one in d[:number]])
            passed += [number] * (least >= bound - 1e-9 if direction == "above" else most <= bound + 1e-9)
        assert stopping_time == next(iter(passed), None)


@pytest.mark.long
@pytest.mark.parametrize("share", [1.0, 0.0, 0.75, 0.5])
def test_thousands_of_items_neither_overflow_nor_lose_figures(share: float) -> None:
    gained = round(6_000 * share)
    found = run_sequential_test([1.0] * gained + [-1.0] * (6_000 - gained)).log_e
    b, c = gained, 6_000 - gained
    if share == 1:
        known = (b + 1) * math.log(2) - math.log(b + 1)
    elif share == 0:
        known = -math.log(c + 1)
    else:
        tail = special.betaincc(b + 1, c + 1, 0.5)
        known = (b + c + 1) * math.log(2) + special.betaln(b + 1, c + 1) + math.log(tail)
    assert found == pytest.approx(known, rel=1e-9, abs=1e-6)


def test_it_stops_at_the_first_item_that_reaches_1_over_alpha() -> None:
    sequential_test = run_sequential_test([1.0] * 6 + [0.0, 1.0] + [-1.0] * 30)
    assert sequential_test.stopping_time == 8  # 7–0 is 31.9; before, 6–0 was 18.1
    assert sequential_test.e < 1  # what came later undoes no stop
    assert run_sequential_test([]).e == 1


@pytest.mark.parametrize(
    ("answers", "votes", "rival", "after"),
    [
        ("A" + "A" * 7, 7, 0, 8),
        ("A" + "A" * 6, 6, 0, None),
        ("A" + "AAABAAAAAA", 9, 1, None),  # 18.5
        ("A" + "AAAAAABBAAAAAA", 12, 2, 15),  # 23.9
        ("A" + "BCDE" + "A" * 9, 9, 1, None),  # four rivals with one vote each weigh as one
        ("B" + "A" * 20, 0, 20, None),
        ("A", 0, 0, None),
    ],
)
def test_the_first_answer_is_certified_against_its_strongest_rival(
    answers: str, votes: int, rival: int, after: int | None
) -> None:
    found = certify_mode(answers)
    assert (found.answer, found.votes, found.rival_votes, found.stopping_time) == (answers[0], votes, rival, after)
    assert found.e == pytest.approx(closed_form(votes, rival))


def test_seven_further_samples_alike_certify_the_first_and_six_do_not() -> None:
    assert [compute_min_samples(alpha) for alpha in (0.05, 0.1, 0.01)] == [7, 5, 9]
    assert certify_mode("A" * 8).stopping_time == 8
    assert certify_mode("A" * 7).stopping_time is None


def test_certified_together_are_those_whose_evidence_reaches_m_over_alpha() -> None:
    assert [compute_min_samples(0.05 / m) for m in (1, 10, 40, 100)] == [7, 11, 13, 14]
    found = certify_mode("A" * 15, family_size=40)
    assert (found.stopping_time, found.joint_time) == (8, 14)
    assert certify_mode("A" * 13, family_size=40).joint_time is None
