"""Figures and their intervals: values of one item are no independent evidence."""

import math
import subprocess
import sys

import numpy as np
import pytest
from moot.app.experiment.statistics import (
    estimate_by_bootstrap,
    estimate_difference,
    estimate_integration,
    estimate_item_correlation,
    estimate_mean,
)
from moot.app.experiment.statistics.significance import simulate_differences
from scipy import stats
from statsmodels.regression.linear_model import OLS


def test_the_error_is_computed_over_items_as_by_hand() -> None:
    # d̄ = 0.6; deviations by item 1 − 1.2, 0 − 0.6, 2 − 1.2; √(3/2 · (0.04 + 0.36 + 0.64)) / 5
    mean = estimate_mean({"a": [1, 0], "b": [0], "c": [1, 1]})
    assert (mean.value, mean.n, mean.items) == (0.6, 5, 3)
    assert mean.standard_error == pytest.approx(math.sqrt(1.56) / 5)
    assert mean.low == pytest.approx(0.6 - 4.302652730 * math.sqrt(1.56) / 5)
    assert mean.high == pytest.approx(0.6 + 4.302652730 * math.sqrt(1.56) / 5)


def test_with_one_value_an_item_the_interval_is_student_s() -> None:
    values = [1.0, 0.0, 0.0, 1.0, 1.0, -1.0, 0.0, 1.0]
    mean = estimate_mean({str(place): [value] for place, value in enumerate(values)})
    interval = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert (mean.low, mean.high) == (pytest.approx(interval.low), pytest.approx(interval.high))


def test_with_several_values_an_item_it_is_that_of_a_clustered_regression() -> None:
    draw = np.random.default_rng(1)
    values = {str(item): list(draw.normal(item % 4, 1, size=1 + item % 5)) for item in range(30)}
    flat = [(cell, int(item)) for item, row in values.items() for cell in row]
    fitted = OLS([one for one, _ in flat], np.ones(len(flat))).fit(
        cov_type="cluster", cov_kwds={"groups": np.array([item for _, item in flat])}, use_t=True
    )
    mean = estimate_mean(values)
    assert mean.standard_error == pytest.approx(fitted.bse[0])
    assert (mean.low, mean.high) == pytest.approx(tuple(fitted.conf_int()[0]))


def test_values_said_twice_are_no_more_evidence() -> None:
    once = {"a": [1.0], "b": [0.0], "c": [1.0], "d": [0.0]}
    twice = {item: values * 2 for item, values in once.items()}
    assert estimate_mean(once).standard_error == pytest.approx(estimate_mean(twice).standard_error)


@pytest.mark.parametrize(
    ("values", "given", "interval", "rough"),
    [
        ({}, False, False, True),
        ({"a": [1.0, 0.0, 1.0]}, True, False, True),  # one item: no interval
        ({"a": [1.0], "b": [1.0]}, True, False, True),  # all the same: nothing to go by
        ({"a": [1.0], "b": [0.0]}, True, True, True),
        ({str(item): [item % 2] for item in range(19)}, True, True, True),
        ({str(item): [item % 2] for item in range(20)}, True, True, False),
    ],
)
def test_an_interval_is_given_where_there_is_one_and_called_rough_below_20_items(
    values: dict[str, list[float]], given: bool, interval: bool, rough: bool
) -> None:
    for found in (
        estimate_mean(values),
        estimate_by_bootstrap([values], lambda means: means[..., 0], seed=1, purpose=["net"]),
    ):
        assert (found.value is not None, found.low is not None, found.is_rough) == (given, interval, rough)
        assert (found.high is None) == (found.low is None)


def test_two_shares_of_the_same_items_are_compared_item_by_item() -> None:
    values = {str(item): [float(item % 3 == 0), float(item % 2)] for item in range(12)}
    same = estimate_difference(values, values)
    assert (same.value, same.low) == (0, None)  # no scatter at all: they are the same values
    shifted = estimate_difference(values, {item: [cell - 0.25 for cell in row] for item, row in values.items()})
    assert shifted.value == pytest.approx(0.25)
    # With one value an item on both sides it is the paired difference.
    first, second = {"a": [1.0], "b": [0.0], "c": [1.0]}, {"a": [0.0], "b": [0.0], "c": [1.0]}
    paired = estimate_mean({item: [first[item][0] - second[item][0]] for item in first})
    difference = estimate_difference(first, second)
    assert (difference.value, difference.low, difference.high) == (
        paired.value,
        pytest.approx(paired.low),
        pytest.approx(paired.high),
    )


def test_a_share_of_nothing_is_not_given() -> None:
    assert estimate_difference({"a": [1.0]}, {"a": []}).value is None
    assert estimate_mean({"a": [], "b": []}).value is None


def test_the_bootstrap_names_its_stream_and_draws_the_same_again() -> None:
    values = {str(item): [item % 2, item % 3 / 2] for item in range(40)}
    draw = {
        seed: estimate_by_bootstrap([values], lambda means: means[..., 0], seed=seed, purpose=["net"])
        for seed in (1, 2)
    }
    assert draw[1] == estimate_by_bootstrap([values], lambda means: means[..., 0], seed=1, purpose=["net"])
    assert draw[1].low != draw[2].low
    assert (draw[1].stream, draw[1].resamples) == (["bootstrap", "net"], 5000)
    normal = estimate_mean(values)
    assert normal.low is not None
    assert draw[1].low == pytest.approx(normal.low, abs=0.02)


def test_integration_is_the_share_of_what_could_be_gained_with_an_interval_over_items() -> None:
    generator = np.random.default_rng(5)
    before, after, full = ({str(i): [float(generator.random() < p)] for i in range(80)} for p in (0.2, 0.5, 0.9))
    integration = estimate_integration(before, after, full, seed=1)
    means = [sum(row[0] for row in column.values()) / 80 for column in (before, after, full)]
    assert integration is not None
    assert integration.value == pytest.approx((means[1] - means[0]) / (means[2] - means[0]))
    assert integration.low is not None
    assert integration.high is not None
    assert integration.low < integration.value < integration.high
    assert integration.stream == ["bootstrap", "integration"]


def test_there_is_no_share_of_a_gain_too_small_to_share() -> None:
    values = {share: {str(i): [float(i < share)] for i in range(100)} for share in (20, 29, 30)}
    assert estimate_integration(values[20], values[29], values[29], seed=1) is None
    integration = estimate_integration(values[20], values[29], values[30], seed=1)
    assert integration is not None
    assert integration.value == pytest.approx(0.9)


def test_without_the_extra_it_is_said_how_to_install_it() -> None:
    code = "import sys; sys.modules['scipy'] = None; import moot.app.experiment.statistics"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert process.stderr.splitlines()[-1].endswith(
        """statistics = 'scipy': figures over many runs need scipy and statsmodels: pip install "moot[science]\""""
    )


def test_the_correlation_within_items_is_that_of_an_analysis_of_variance() -> None:
    assert estimate_item_correlation({"a": [1, 1], "b": [0, 0], "c": [-1, -1]}) == 1
    assert estimate_item_correlation({"a": [1, -1], "b": [1, -1]}) == 0
    assert estimate_item_correlation(
        {
            "a": [9, 2, 5, 8],
            "b": [6, 1, 3, 2],
            "c": [8, 4, 6, 8],
            "d": [7, 1, 2, 6],
            "e": [10, 5, 6, 9],
            "f": [6, 2, 4, 7],
        }
    ) == pytest.approx(0.17, abs=0.005), "Shrout & Fleiss 1979, table 4"
    assert estimate_item_correlation({"a": [1], "b": [0]}) is None
    draws = simulate_differences(np.random.default_rng(1), (1, 4000, 2), 0.05, 0.15, 0.3)[0]
    assert estimate_item_correlation({str(item): list(pair) for item, pair in enumerate(draws)}) == pytest.approx(
        0.3, abs=0.05
    )
