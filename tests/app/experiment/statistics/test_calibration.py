"""A stop with a promise."""

import pytest
from moot.app.experiment.calibration import CalibrationRun, calibrate_threshold, compute_min_items
from moot.state.errors import InputError

SETTLED = CalibrationRun([0.4, 0.6, 0.8, 1.0, 1.0], ["A", "A", "A", "A", "A"])
TURNED = CalibrationRun([0.4, 0.6, 0.8, 1.0, 1.0], ["B", "B", "A", "A", "A"])


@pytest.mark.parametrize(("share", "least"), [(0.1, 22), (0.05, 59)])
def test_fewer_items_than_the_promise_needs_are_refused_with_their_number(share: float, least: int) -> None:
    assert compute_min_items(share, share) == least
    assert calibrate_threshold([SETTLED] * least, delta=share, epsilon=share).threshold == 0.5
    with pytest.raises(InputError, match=rf"items = {least - 1}: .* run ln ε / ln\(1 − δ\) = {least} items"):
        calibrate_threshold([SETTLED] * (least - 1), delta=share, epsilon=share)


def test_the_walk_goes_from_strict_to_lax_while_the_losses_allow_it() -> None:
    found = calibrate_threshold([SETTLED] * 27 + [TURNED] * 3)
    # At 0.6 the stop comes in the second round, where three of thirty had decided otherwise: P[Bin(30, .1) ≤ 3] > .1.
    assert (found.threshold, found.losses, found.rounds_saved) == (0.61, 0, 2)
    lucky = calibrate_threshold([SETTLED] * 57 + [TURNED] * 2)
    assert (lucky.threshold, lucky.losses) == (0.5, 2)


def test_several_signals_share_the_chance_of_a_broken_promise() -> None:
    with pytest.raises(InputError, match=r"ε = 0\.05, run .* 29 items"):
        calibrate_threshold([SETTLED] * 28, signal_count=2)
    assert calibrate_threshold([SETTLED] * 29, signal_count=2).threshold == 0.5


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
    with pytest.raises(InputError, match="no threshold that passes saves a round"):
        calibrate_threshold(useless)
