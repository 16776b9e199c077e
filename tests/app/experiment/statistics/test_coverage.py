"""Figures keep their promise: on planted data what was planted lies inside the interval as often as it should."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from moot.app.experiment.measures import COMPARISONS, collect_gains, count_flips, measure_conformity
from moot.app.experiment.statistics import (
    IntervalEstimate,
    ItemValues,
    estimate_by_bootstrap,
    estimate_difference,
    estimate_mean,
)
from places import proof_size
from planted import Planted, arms, before_and_after, by_rounds, gains_of
from scipy import stats

pytestmark = pytest.mark.long

PLAN = Planted()


def least(share: float, size: int, full: int) -> float:
    """The share that must be inside: as promised for all trials, and for fewer what is as improbable at 95 %."""
    if size == full:
        return share
    improbable = stats.binom.cdf(math.ceil(share * full) - 1, full, 0.95)
    return float(stats.binom.ppf(improbable, size, 0.95) / size)


def figures(draw: np.random.Generator) -> dict[str, tuple[ItemValues, float]]:
    """Every planted figure of one experiment: its values by item, and what was planted."""
    turned, units = count_flips(before_and_after(draw, PLAN)), arms(draw, PLAN)
    net = 0.4 * PLAN.correction - 0.6 * PLAN.corruption  # three of five first answers are right
    return {
        "corrected": (turned.corrected, PLAN.correction),
        "corrupted": (turned.corrupted, PLAN.corruption),
        "net of flips": (turned.net, net),
        "conformity": (measure_conformity(by_rounds(draw, PLAN)).rate, PLAN.conformity),
        **{name: (collect_gains(units, *COMPARISONS[name]), planted) for name, planted in gains_of(PLAN).items()},
    }


def covered(full: int, interval: Callable[[ItemValues, int], IntervalEstimate]) -> dict[str, float]:
    size, inside = proof_size(full), dict[str, int]()
    draw = np.random.default_rng(20261122)
    for trial in range(size):
        for name, (values, planted) in figures(draw).items():
            found = interval(values, trial)
            assert found.low is not None
            assert found.high is not None
            inside[name] = inside.get(name, 0) + (found.low <= planted <= found.high)
    return {name: count / size for name, count in inside.items()}


def test_planted_rates_lie_in_their_interval_in_93_of_100_experiments_of_80_items() -> None:
    shares = covered(1000, lambda values, _: estimate_mean(values))
    assert {name: share for name, share in shares.items() if share < least(0.93, proof_size(1000), 1000)} == {}


def test_so_does_the_excess_of_conformity_over_that_of_participants_who_saw_nobody() -> None:
    size, alone, inside = proof_size(1000), Planted(conformity=0.1), 0
    draw = np.random.default_rng(7)
    for _ in range(size):
        difference = estimate_difference(
            measure_conformity(by_rounds(draw, PLAN)).rate, measure_conformity(by_rounds(draw, alone)).rate
        )
        assert difference.low is not None
        assert difference.high is not None
        inside += difference.low <= PLAN.conformity - alone.conformity <= difference.high
    assert inside / size >= least(0.93, size, 1000)


def test_with_the_bootstrap_they_do_in_90_of_100() -> None:
    shares = covered(
        200,
        lambda values, trial: estimate_by_bootstrap(
            [values], lambda means: means[..., 0], seed=trial, purpose=[], resamples=1000
        ),
    )
    assert {name: share for name, share in shares.items() if share < least(0.9, proof_size(200), 200)} == {}
