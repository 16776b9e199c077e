"""A stop with a promise."""

import pytest
from moot.app.experiment.statistics import CalibrationRun, calibrate_threshold
from moot.app.experiment.statistics.calibration import compute_min_items
from moot.state.errors import InputError
from scipy import stats

SETTLED = CalibrationRun([0.4, 0.6, 0.8, 1.0, 1.0], ["A", "A", "A", "A", "A"])
TURNED = CalibrationRun([0.4, 0.6, 0.8, 1.0, 1.0], ["B", "B", "A", "A", "A"])


@pytest.mark.parametrize(("share", "least"), [(0.1, 22), (0.05, 59)])
def test_fewer_items_than_the_promise_needs_are_refused_with_their_number(share: float, least: int) -> None:
    assert compute_min_items(share, share) == least
    assert calibrate_threshold([SETTLED] * least, delta=share, epsilon=share).threshold == 0.5
    with pytest.raises(InputError, match=rf"items = {least - 1}: .* needs n ≥ ln ε / ln\(1 − δ\) = {least} items"):
        calibrate_threshold([SETTLED] * (least - 1), delta=share, epsilon=share)


def test_the_walk_goes_from_strict_to_lax_while_the_losses_allow_it() -> None:
    found = calibrate_threshold([SETTLED] * 27 + [TURNED] * 3)
    # At 0.6 the stop comes in the second round, where three of thirty had decided otherwise: P[Bin(30, .1) ≤ 3] > .1.
    assert (found.threshold, found.losses, found.rounds_saved) == (0.61, 0, 2)
    assert found.p == pytest.approx(0.9**30)
    lucky = calibrate_threshold([SETTLED] * 57 + [TURNED] * 2)
    assert (lucky.threshold, lucky.losses) == (0.5, 2)
    assert lucky.p == pytest.approx(stats.binom.cdf(2, 59, 0.1))


def test_several_signals_share_the_chance_of_a_broken_promise() -> None:
    with pytest.raises(InputError, match=r"ε = 0\.05 needs .* 29 items"):
        calibrate_threshold([SETTLED] * 28, signal_count=2)
    assert calibrate_threshold([SETTLED] * 29, signal_count=2).epsilon == 0.05


def test_a_run_without_a_score_for_each_decision_is_refused() -> None:
    for broken in (CalibrationRun([], []), CalibrationRun([0.5], ["A", "B"])):
        with pytest.raises(InputError, match="items = 1: each run has a score and a decision"):
            calibrate_threshold([SETTLED] * 30 + [broken])


def test_a_tie_is_a_decision_of_its_own() -> None:
    tied = CalibrationRun([0.5, 1.0], [("A", "B"), "A"])
    assert calibrate_threshold([tied] * 10 + [SETTLED] * 20).threshold == 0.51


@pytest.mark.parametrize(
    "useless",
    [
        [CalibrationRun([0.1, 0.2, 0.3], ["A", "A", "A"])] * 30,  # the signal never reaches a threshold
        [CalibrationRun([1.0, 1.0], ["B", "A"])] * 30,  # it does at once, and is wrong
    ],
)
def test_a_signal_that_saves_nothing_is_refused(useless: list[CalibrationRun]) -> None:
    with pytest.raises(InputError, match=r"no threshold with δ = 0\.1 and ε = 0\.1 saves a round"):
        calibrate_threshold(useless)
