"""Tests and stops are wrong no more often than they say."""

import math

import numpy as np
import pytest
from moot.app.experiment.calibration import THRESHOLDS, CalibrationRun, calibrate_threshold, count_passing_thresholds
from moot.app.experiment.statistics import (
    certify_mode,
    compute_log_e_values,
    compute_sign_flip_p,
    measure_equivalence,
)
from moot.app.experiment.statistics.significance import simulate_differences
from moot.state.errors import InputError
from places import proof_size

pytestmark = pytest.mark.long


def allowed(nominal: float, trials: int) -> float:
    """The nominal rate and 2.6 standard errors of so many trials."""
    return nominal + 2.6 * math.sqrt(nominal * (1 - nominal) / trials)


@pytest.mark.parametrize("items", [12, 40])
def test_the_sign_flip_finds_a_difference_where_there_is_none_as_seldom_as_it_says(items: int) -> None:
    size = proof_size(2000)
    trials = simulate_differences(np.random.default_rng(items), (size, items, 2), 0.0, 0.3, 0.3)
    sign_flip_ps = [
        compute_sign_flip_p({str(item): list(values) for item, values in enumerate(trial)}, seed=number, purpose=[])
        for number, trial in enumerate(trials)
    ]
    assert sum(sign_flip_p is not None and sign_flip_p.p <= 0.05 for sign_flip_p in sign_flip_ps) / size <= allowed(
        0.05, size
    )


@pytest.mark.parametrize(("items", "side"), [(100, 1), (400, -1)])
def test_a_difference_as_large_as_the_margin_is_called_equal_as_seldom_as_it_says(items: int, side: int) -> None:
    size = proof_size(2000)
    trials = simulate_differences(np.random.default_rng(items), (size, items, 2), side * 0.05, 0.15, 0.3)
    equivalences = [measure_equivalence({str(n): list(row) for n, row in enumerate(trial)}, 0.05) for trial in trials]
    assert sum(equivalence.is_equivalent for equivalence in equivalences) / size <= allowed(0.05, size)


@pytest.mark.parametrize(
    ("direction", "bound", "gain"),
    [("above", 0.0, 0.0), ("below", 0.0, 0.0), ("either", 0.0, 0.0), ("above", 0.1, 0.1)],
)
def test_looking_after_every_item_finds_what_is_not_there_as_seldom_as_it_says(  # type: ignore[no-untyped-def]
    direction, bound: float, gain: float
) -> None:
    size = proof_size(2000)
    d = simulate_differences(np.random.default_rng(1), (size, 300, 2), gain, 0.5, 0.3).mean(-1)
    ever = compute_log_e_values(d, direction=direction, bound=bound).max(-1) >= math.log(20)
    assert ever.mean() <= allowed(0.05, size)


@pytest.mark.parametrize("gain", [0.0, 0.2])
def test_the_confidence_sequence_misses_the_mean_at_any_look_as_seldom_as_it_says(gain: float) -> None:
    size = proof_size(2000)
    d = simulate_differences(np.random.default_rng(1), (size, 200, 1), gain, 0.5, 0.0)[..., 0]
    # the mean lies outside at some look exactly if the evidence above or below it reaches 2/α there
    above, below = (compute_log_e_values(d, direction=way, bound=gain).max(-1) for way in ("above", "below"))
    assert (np.maximum(above, below) >= math.log(40)).mean() <= allowed(0.05, size)


def test_of_forty_tied_items_some_certificate_is_false_far_more_often_than_all_together_are() -> None:
    size = proof_size(1000)
    draws = np.random.default_rng(1).choice(2, size=(size, 40, 29))
    sets = [[certify_mode([0, *map(int, row)], family_size=40) for row in one] for one in draws]
    each = sum(any(found.stopping_time for found in one) for one in sets) / size
    assert each > 0.3
    assert sum(any(found.joint_time for found in one) for one in sets) / size <= allowed(0.05, size)


@pytest.mark.parametrize("shares", [[0.5, 0.5], [0.45, 0.55], [0.3, 0.35, 0.35], [0.1, 0.2, 0.3, 0.4]])
def test_an_answer_that_is_not_the_mode_is_certified_as_seldom_as_it_says(shares: list[float]) -> None:
    size = proof_size(2000)
    draws = np.random.default_rng(1).choice(len(shares), size=(size, 49), p=shares)
    # The first answer, which the others are counted against, is always one that another equals or passes.
    wrong = sum(certify_mode([0, *map(int, row)]).stopping_time is not None for row in draws)
    assert wrong / size <= allowed(0.05, size)


ROUNDS = 6


def courses(draw: np.random.Generator, sets: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Signals by run and round, and whether the decision is already the last one."""
    settled = draw.integers(0, ROUNDS, size=(sets, n, 1))
    time = np.arange(ROUNDS)
    final = time >= settled
    signal = np.clip(0.45 + 0.06 * time + 0.2 * final + draw.normal(0, 0.12, size=final.shape), 0, 1)
    return signal, final


def losses(signal: np.ndarray, final: np.ndarray) -> np.ndarray:
    """For each threshold (last axis) the number of runs that it would have ended with another decision."""
    found = []
    for threshold in THRESHOLDS:
        reached = signal >= threshold - 1e-9
        stop = np.where(reached.any(-1), reached.argmax(-1), ROUNDS - 1)
        found.append((~np.take_along_axis(final, stop[..., None], -1)[..., 0]).sum(-1))
    return np.stack(found, -1)


@pytest.mark.parametrize(("n", "delta", "epsilon"), [(30, 0.1, 0.1), (100, 0.1, 0.1), (60, 0.05, 0.05)])
def test_a_calibrated_stop_breaks_its_promise_as_seldom_as_it_says(n: int, delta: float, epsilon: float) -> None:
    size = proof_size(2000)
    draw = np.random.default_rng(n)
    risk = losses(*courses(draw, 1, 200_000))[0] / 200_000
    assert risk[0] < delta < risk[-1]  # there is something to get wrong
    signal, final = courses(draw, size, n)
    passed = np.array([count_passing_thresholds(row, n, delta, epsilon) for row in losses(signal, final)])
    broken = (passed > 0) & (risk[np.maximum(passed - 1, 0)] > delta)
    assert broken.mean() <= allowed(epsilon, size)
    for number in range(20):  # what is counted here at once is what `calibrate` finds
        runs = [
            CalibrationRun(list(s), [bool(one) for one in f])
            for s, f in zip(signal[number], final[number], strict=True)
        ]
        if passed[number]:
            assert calibrate_threshold(runs, delta=delta, epsilon=epsilon).threshold == THRESHOLDS[passed[number] - 1]
        else:
            with pytest.raises(InputError, match="0 of 51 thresholds pass"):
                calibrate_threshold(runs, delta=delta, epsilon=epsilon)
