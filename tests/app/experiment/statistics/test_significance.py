"""Tests of a difference, its size, and equality within a margin."""

import numpy as np
import pytest
from moot.app.experiment.statistics import (
    adjust_p_values,
    compute_sign_flip_p,
    measure_change,
    measure_equivalence,
)
from scipy import stats


@pytest.mark.parametrize(
    ("values", "p"),
    [
        ({"a": [1.0], "b": [1.0], "c": [1.0], "d": [1.0], "e": [1.0]}, 2 / 32),
        ({"a": [1.0], "b": [-1.0]}, 1.0),
        ({"a": [0.0], "b": [0.0]}, 1.0),
        ({"a": [2.0], "b": [1.0], "c": [0.5]}, 2 / 8),
        ({"a": [1.0, 1.0], "b": [-1.0]}, 1.0),  # sums 2 and −1: ±1 and ±3 are all as far as 1
        ({str(item): [float(item < 20)] for item in range(40)}, 2 / 2**20),  # 20 of 40 items differ
        ({}, None),
    ],
)
def test_every_pattern_of_signs_counts(values: dict[str, list[float]], p: float | None) -> None:
    sign_flip_p = compute_sign_flip_p(values, seed=1, purpose=["net"])
    assert (sign_flip_p and sign_flip_p.p) == p


def test_the_signs_of_an_item_s_repeats_are_flipped_together() -> None:
    values = {"a": [1.0, 0.5], "b": [1.0, -0.5], "c": [0.25], "d": [-1.0]}
    sums = [sum(row) for row in values.values()]
    permutation_test = stats.permutation_test((sums,), np.sum, permutation_type="samples", n_resamples=np.inf)
    assert compute_sign_flip_p(values, seed=1, purpose=[]) == (permutation_test.pvalue, 0)


def test_of_sums_on_a_grid_every_pattern_counts_however_many_items_differ() -> None:
    values = {str(item): [1.0 if item < 41 else -1.0] for item in range(60)}
    sign_flip_p = compute_sign_flip_p(values, seed=1, purpose=["net"])
    assert sign_flip_p is not None
    assert sign_flip_p.p == pytest.approx(stats.binomtest(41, 60).pvalue)  # McNemar's, with ±1 only
    thirds = {item: [sum(row) / 3] for item, row in values.items()}
    assert sign_flip_p.error == 0
    assert compute_sign_flip_p(thirds, seed=1, purpose=["net"]) == pytest.approx(sign_flip_p)


def draw_normal_items(seed: int) -> dict[str, list[float]]:
    numbers = np.random.default_rng(seed).normal(0.25, 1, 40)
    return {str(item): [float(number)] for item, number in enumerate(numbers)}


def test_with_more_sums_patterns_are_drawn_from_a_named_stream() -> None:
    values = draw_normal_items(4)
    first, again, sign_flip_p = (compute_sign_flip_p(values, seed=seed, purpose=["net"]) for seed in (1, 1, 2))
    assert first == again != sign_flip_p
    assert first is not None
    assert first.p == pytest.approx(stats.ttest_1samp([row[0] for row in values.values()], 0).pvalue, abs=0.02)
    clear = compute_sign_flip_p({item: [abs(row[0])] for item, row in values.items()}, seed=1, purpose=[])
    assert clear is not None
    assert clear.p == 1 / 20_001


@pytest.mark.parametrize(("normals", "drawn"), [(224, 200_000), (266, 2_000_000)])
def test_near_the_level_more_patterns_are_drawn_until_the_error_of_p_decides(normals: int, drawn: int) -> None:
    sign_flip_p = compute_sign_flip_p(draw_normal_items(normals), seed=1, purpose=["net"])
    assert sign_flip_p is not None
    assert sign_flip_p.error == pytest.approx((sign_flip_p.p * (1 - sign_flip_p.p) / drawn) ** 0.5)
    assert abs(sign_flip_p.p - 0.05) > 3 * sign_flip_p.error


def test_holm_adjusts_for_all_that_is_looked_at() -> None:
    assert adjust_p_values({"vote": 0.01, "alone": 0.04, "noise": 0.03}) == pytest.approx(
        {"vote": 0.03, "alone": 0.06, "noise": 0.06}
    )
    assert adjust_p_values({}) == {}


@pytest.mark.parametrize(
    ("gained", "lost", "odds"),
    [(6, 2, 3), (5, 0, None), (0, 0, None), (0, 4, 0), (2, 3, pytest.approx(0.667, abs=1e-3))],
)
def test_the_effect_is_told_as_odds(gained: int, lost: int, odds: float | None) -> None:
    change = measure_change([(False, True)] * gained + [(True, False)] * lost + [(True, True)] * 10)
    assert change is not None
    assert (change.gained, change.lost, change.odds) == (gained, lost, odds)


def test_no_difference_found_and_equal_within_a_margin_are_different_things() -> None:
    few = {str(item): [(1.0, -1.0, 0.0)[item % 3]] for item in range(30)}
    many = {str(item): [(1.0, -1.0, *[0.0] * 18)[item % 20]] for item in range(800)}
    for values, equal in ((few, False), (many, True)):
        p = compute_sign_flip_p(values, seed=1, purpose=["net"])
        assert p is not None
        assert p.p > 0.05
        assert measure_equivalence(values, 0.03).is_equivalent is equal


def test_equality_is_two_t_tests_against_the_margins() -> None:
    values = [0.1, -0.2, 0.0, 0.3, 0.05, -0.1, 0.0, 0.2]
    equivalence = measure_equivalence({str(place): [value] for place, value in enumerate(values)}, 0.2)
    above, below = (
        stats.ttest_1samp(values, m, alternative=way).pvalue for m, way in ((-0.2, "greater"), (0.2, "less"))
    )
    assert equivalence.p == pytest.approx(max(above, below))


def test_where_nothing_ever_differs_as_many_items_are_needed_as_the_margin_asks() -> None:
    assert not measure_equivalence({str(item): [0.0] for item in range(98)}, 0.03).is_equivalent
    assert measure_equivalence({str(item): [0.0] for item in range(99)}, 0.03).is_equivalent  # 0.97^99 < 0.05
    assert measure_equivalence({str(item): [1.0] for item in range(99)}, 0.03).p == 1
    assert measure_equivalence({"a": [0.0, 0.0]}, 0.03).p is None
