"""What an experiment of the planned size could find."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from moot.app.experiment.statistics import compute_detectable_gain, simulate_power
from moot.app.experiment.statistics.significance import simulate_differences
from moot.state.errors import InputError


def closed_form(n: int, gain: float, discordance: float) -> float:
    """The power of McNemar's test with n pairs at .05 (Connor 1987, Biometrics 43:207)."""
    normal = NormalDist()
    margin = gain * math.sqrt(n) - normal.inv_cdf(0.975) * math.sqrt(discordance)
    return normal.cdf(margin / math.sqrt(discordance - gain**2))


@pytest.mark.parametrize(("gain", "discordance", "n"), [(0.05, 0.15, 469), (0.1, 0.25, 194)])
def test_the_closed_form_gives_the_published_sizes(gain: float, discordance: float, n: int) -> None:
    assert closed_form(n, gain, discordance) == pytest.approx(0.8, abs=0.002)


@pytest.mark.parametrize(("items", "gain", "discordance"), [(700, 0.05, 0.15), (400, 0.1, 0.25), (2500, 0.02, 0.15)])
def test_simulated_power_is_within_5_points_of_the_closed_form(items: int, gain: float, discordance: float) -> None:
    found = simulate_power(items, gain=gain, discordance=discordance, experiments=1500)
    assert found.gain == pytest.approx(closed_form(items, gain, discordance), abs=0.05)


@pytest.mark.parametrize(("gain", "discordance", "n"), [(0.05, 0.15, 469), (0.1, 0.25, 194)])
def test_the_smallest_gain_to_detect_is_the_one_that_the_simulation_finds_in_80_of_100(
    gain: float, discordance: float, n: int
) -> None:
    assert compute_detectable_gain(n, discordance=discordance) == pytest.approx(gain, abs=0.0002)
    found = simulate_power(n, gain=gain, discordance=discordance, experiments=1500)
    assert found.gain == pytest.approx(0.8, abs=0.06)
    repeated = compute_detectable_gain(n // 2, repeats=2, discordance=discordance, within_item=0.3)
    assert repeated is not None
    assert gain < repeated < gain * math.sqrt(2)
    assert compute_detectable_gain(5, discordance=1.0) is None, "even five of five is chance"
    assert compute_detectable_gain(24, discordance=0.15) is None


def test_power_grows_with_items_and_with_repeats_less() -> None:
    found = {
        size: simulate_power(*size[:1], repeats=size[1], margin=0.05, experiments=1000)
        for size in [(100, 1), (100, 3), (300, 1)]
    }
    assert found[100, 1].gain < found[100, 3].gain < found[300, 1].gain
    assert found[100, 1].equivalence < found[100, 3].equivalence < found[300, 1].equivalence  # type: ignore[operator]
    assert found[100, 1] == simulate_power(100, margin=0.05, experiments=1000)


def test_without_a_gain_the_test_finds_one_as_often_as_it_may() -> None:
    assert simulate_power(60, gain=0.0, experiments=2000).gain <= 0.05 + 2.6 * (0.05 * 0.95 / 2000) ** 0.5


def test_repeats_of_an_item_correlate_as_assumed() -> None:
    d = simulate_differences(np.random.default_rng(1), (200, 200, 2), 0.05, 0.15, 0.3).reshape(-1, 2)
    assert d.mean() == pytest.approx(0.05, abs=0.01)
    assert np.abs(d).mean() == pytest.approx(0.15, abs=0.01)
    assert np.corrcoef(d.T)[0, 1] == pytest.approx(0.3, abs=0.02)


def test_a_gain_larger_than_what_differs_is_refused() -> None:
    with pytest.raises(InputError, match=r"must be at most 0\.1, the share of pairs that differ"):
        simulate_power(100, gain=0.2, discordance=0.1)
