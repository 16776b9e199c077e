"""Estimate of a figure with its interval, and its text in a report.

Values are clustered by item, because values of one item are not independent.

The standard error is the cluster-robust one of a ratio of sums, √(C/(C−1)·Σ_c(Σ_{i∈c}(d_i − d̄))²)/n (Liang & Zeger
1986, Biometrika 73:13). It includes the correction for few clusters by Cameron & Miller (2015, J. Human Resources
50:317). The interval uses the t distribution with C − 1 degrees of freedom.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from ....state import derive_stream_seed

Array = NDArray[np.float64]
NO_FIGURE = "–"
NO_BREAK = "\u00a0"
"""Space at which no line ends."""

ItemValues = Mapping[str, Sequence[float]]
"""Values of each item: one for each of its repeats, participants or steps."""


@dataclass(frozen=True)
class IntervalEstimate:
    """Figure over items with its interval.

    `value` is `None` without values. `low` and `high` are `None` with fewer than two items. They are also `None` if all
    values are equal, since the data then show no scatter.

    `n`: number of values. `items`: number of clusters: items with a value. `standard_error`: error from
    the clusters or the resamples; `None` with fewer than two items or without scatter. `stream`: name of the
    bootstrap's stream, in addition to the seed.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    items: int
    standard_error: float | None
    level: float = 0.95
    method: Literal["t", "bootstrap", "sequence"] = "t"
    stream: list[str | int] | None = None
    resamples: int | None = None

    @property
    def is_rough(self) -> bool:
        """Return whether the interval rests on fewer than 20 items, and is therefore unreliable."""
        return self.items < 20


def sum_by_item(values: ItemValues, items: Sequence[str] | None = None) -> tuple[Array, Array]:
    """Return the sum and the number of values of each item.

    `items`: names of the items to return, in order; `None` returns all items.
    """
    item_names = list(values) if items is None else items
    rows = [values.get(item, ()) for item in item_names]
    return np.array([float(sum(row)) for row in rows]), np.array([float(len(row)) for row in rows])


def compute_mean_and_deviations(sums: Array, counts: Array) -> tuple[Array, Array]:
    """Return the mean over the last axis, and the deviation Σ(d_i − d̄)/n of each cluster.

    Both are nan without values.
    """
    n = counts.sum(-1)
    n = np.where(n > 0, n, np.nan)
    mean = sums.sum(-1) / n
    return mean, (sums - mean[..., None] * counts) / n[..., None]


def compute_robust_error(deviations: Array, cluster_count: Array) -> Array:
    """Return the cluster-robust standard error of a mean.

    `deviations`: deviation of each cluster (last axis), 0 for an empty one. `cluster_count`: number of non-empty
    clusters.
    """
    correction = np.where(cluster_count > 1, cluster_count / np.maximum(cluster_count - 1, 1), np.nan)
    return np.asarray(np.sqrt(correction * (deviations**2).sum(-1)), dtype=np.float64)


def estimate_mean(values: ItemValues, level: float = 0.95) -> IntervalEstimate:
    """Estimate the mean of all values with its cluster-robust interval."""
    sums, counts = sum_by_item(values)
    mean, deviations = compute_mean_and_deviations(sums, counts)
    return _make_estimate(mean, deviations, counts > 0, int(counts.sum()), level)


def estimate_share(values: ItemValues) -> IntervalEstimate:
    """Estimate the mean of shares with its interval.

    If all values are 0 or all are 1, the interval is Wilson's.
    """
    estimate = estimate_mean(values)
    if estimate.items < 2 or estimate.value not in (0.0, 1.0):
        return estimate
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(int(estimate.value) * estimate.items, estimate.items, method="wilson")
    return replace(estimate, low=low, high=high)


def estimate_difference(first: ItemValues, second: ItemValues, level: float = 0.95) -> IntervalEstimate:
    """Estimate the mean of `first` minus the mean of `second`. Values are paired by item."""
    items = sorted({*first, *second})
    (first_sums, first_counts), (second_sums, second_counts) = sum_by_item(first, items), sum_by_item(second, items)
    first_mean, first_deviations = compute_mean_and_deviations(first_sums, first_counts)
    second_mean, second_deviations = compute_mean_and_deviations(second_sums, second_counts)
    n = int(first_counts.sum() + second_counts.sum()) if first_counts.sum() and second_counts.sum() else 0
    has_values = (first_counts > 0) | (second_counts > 0)
    return _make_estimate(first_mean - second_mean, first_deviations - second_deviations, has_values, n, level)


def _make_estimate(
    mean: Array, deviations: Array, has_values: NDArray[np.bool_], n: int, level: float
) -> IntervalEstimate:
    cluster_count = int(has_values.sum())
    if n == 0:
        return IntervalEstimate(None, None, None, 0, cluster_count, None, level)
    error = float(compute_robust_error(deviations, np.array(float(cluster_count)))) if cluster_count > 1 else None
    if error is None or error < 1e-12:
        return IntervalEstimate(float(mean), None, None, n, cluster_count, None, level)
    half_width = float(stats.t.ppf((1 + level) / 2, cluster_count - 1)) * error
    return IntervalEstimate(
        float(mean), float(mean) - half_width, float(mean) + half_width, n, cluster_count, error, level
    )


def estimate_item_correlation(values: ItemValues) -> float | None:
    """Estimate the correlation of two values of one item, 0 to 1, by analysis of variance.

    Returns `None` if no item has two values. The correlation is ICC(1) of Shrout & Fleiss (1979, Psychological Bulletin
    86:420), at least 0. If items have different numbers of values, the mean size is that of Snedecor & Cochran.
    """
    sums, counts = sum_by_item({item: row for item, row in values.items() if row})
    n, group_count = float(counts.sum()), counts.size
    if group_count < 2 or n == group_count:
        return None
    square_sum = sum(value * value for row in values.values() for value in row)
    between_variance = (float((sums**2 / counts).sum()) - float(sums.sum()) ** 2 / n) / (group_count - 1)
    within_variance = (square_sum - float((sums**2 / counts).sum())) / (n - group_count)
    mean_size = (n - float((counts**2).sum()) / n) / (group_count - 1)
    total = between_variance + (mean_size - 1) * within_variance
    return min(1.0, max(0.0, (between_variance - within_variance) / total)) if total > 0 else None


def estimate_by_bootstrap(
    columns: Sequence[ItemValues],
    statistic: Callable[[Array], Array],
    *,
    seed: int,
    purpose: Sequence[str | int],
    resamples: int = 5000,
    level: float = 0.95,
) -> IntervalEstimate:
    """Estimate a figure computed from means, with an interval from resampled items.

    `statistic` computes the figure from the mean of each column (last axis). Items are drawn with replacement,
    together with all their values (cluster bootstrap: Davison & Hinkley 1997, §3.8). The interval lies between
    percentiles. Draws come from the stream `("bootstrap", *purpose)` of `seed`.
    """
    items = sorted({item for values in columns for item, row in values.items() if row})
    pairs = [sum_by_item(values, items) for values in columns]
    sums, counts = (np.stack(arrays, -1) for arrays in zip(*pairs, strict=True))
    stream_name: list[str | int] = ["bootstrap", *purpose]
    value = low = high = error = None
    is_defined = counts.size > 0 and bool(counts.sum(0).all())
    if is_defined:
        value = float(statistic(sums.sum(0) / counts.sum(0)))
    if is_defined and len(items) > 1:
        generator = np.random.default_rng(derive_stream_seed(seed, *stream_name))
        item_count, means = len(items), []
        for portion_size in split_rows(resamples, item_count):
            shares = np.full(item_count, 1 / item_count)
            draws = generator.multinomial(item_count, shares, size=portion_size).astype(np.float64)
            n_drawn = draws @ counts
            means.append(draws @ sums / np.where(n_drawn > 0, n_drawn, np.nan))
        figures = statistic(np.concatenate(means))
        figures = figures[np.isfinite(figures)]
        if figures.size and float(np.ptp(figures)) > 1e-12:
            low, high = map(float, np.quantile(figures, [(1 - level) / 2, (1 + level) / 2]))
            error = float(figures.std())
    n = int(counts.sum()) if is_defined else 0
    return IntervalEstimate(value, low, high, n, len(items), error, level, "bootstrap", stream_name, resamples)


def split_rows(row_count: int, column_count: int) -> list[int]:
    """Return how many rows each portion of a table has, so that a portion has at most 4 million numbers.

    Portions limit the memory of computations.
    """
    max_rows = max(1, 4_000_000 // max(column_count, 1))
    return [min(max_rows, row_count - start) for start in range(0, row_count, max_rows)]


def estimate_integration(
    before: ItemValues, after: ItemValues, full: ItemValues, *, seed: int
) -> IntervalEstimate | None:
    """Estimate (after − before)/(full − before) of the means over items, with an interval by bootstrap.

    Returns `None` if a mean is unknown, or if full − before < 0.1. `seed`: seed of the bootstrap.
    """
    before_mean, after_mean, full_mean = (estimate_mean(values).value for values in (before, after, full))
    if before_mean is None or after_mean is None or full_mean is None or full_mean - before_mean < 0.1 - 1e-9:
        return None

    def compute_ratio(means: Array) -> Array:
        difference = means[..., 2] - means[..., 0]
        return np.asarray(
            (means[..., 1] - means[..., 0]) / np.where(difference == 0, np.nan, difference), dtype=np.float64
        )

    return estimate_by_bootstrap([before, after, full], compute_ratio, seed=seed, purpose=["integration"])


def format_estimate(estimate: IntervalEstimate | None, scale: float = 100, minimum: float | None = None) -> str:
    """Return a figure and its interval as text, within the possible range.

    `scale`: 100 for percentage points. `minimum`: lowest possible value, such as 0 for a share. `None` means −1 at
    scale 100. At other scales, `None` means no lower and no upper bound.
    """
    if estimate is None or estimate.value is None:
        return NO_FIGURE
    digits = 1 if scale == 100 else 3
    minimum = -1.0 if minimum is None and scale == 100 else minimum
    ends = [
        end if minimum is None else min(1.0, max(minimum, end))
        for end in (estimate.low, estimate.high)
        if end is not None
    ]
    figures = [scale * end for end in (estimate.value, *ends)]
    value, *interval = (f"{figure:,.{0 if abs(figure) >= 1000 else digits}f}".replace("-", "−") for figure in figures)
    return f"{value} [{f',{NO_BREAK}'.join(interval)}]" if interval else value


def format_points(value: float) -> str:
    """Return a difference in percentage points as text, with its sign."""
    return f"{round(100 * value, 1) + 0.0:+.1f}".replace("-", "−")


def format_end(end: float | None) -> str:
    """Return the end of a difference's interval as text in percentage points, within the possible range."""
    return NO_FIGURE if end is None else format_points(min(1.0, max(-1.0, end)))


def format_gain(estimate: IntervalEstimate) -> str:
    """Format a difference in points with its interval."""
    return f"{format_points(estimate.value or 0)}{format_interval(estimate)}"


def format_interval(estimate: IntervalEstimate) -> str:
    """Return the interval of a difference as text in percentage points; empty without an interval."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f" [{format_end(estimate.low)},{NO_BREAK}{format_end(estimate.high)}]"
