"""A figure with its interval: values are clustered by item, since those of one item are no independent evidence.

The standard error is the cluster-robust one of a ratio of sums, √(C/(C−1)·Σ_c(Σ_{i∈c}(d_i − d̄))²)/n, of Liang & Zeger
(1986, Biometrika 73:13) with the correction for few clusters of Cameron & Miller (2015, J. Human Resources 50:317); the
interval takes t at C − 1 degrees of freedom.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from ....state.draw import stream_seed

Array = NDArray[np.float64]

ByItem = Mapping[str, Sequence[float]]
"""The values of each item: one for each of its repeats, participants or steps."""

ROUGH = 20
"""Below so many items an interval is called rough."""


@dataclass(frozen=True)
class Estimate:
    """A figure over items, and how far it can be trusted.

    `value` is missing where there is nothing to average; `low` and `high` are missing with fewer than two items, and
    where all values are the same, since the data then say nothing of how far they scatter.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    """Values averaged."""
    items: int
    """Clusters: items that have a value."""
    error: float | None
    """Standard error."""
    level: float = 0.95
    method: Literal["t", "bootstrap"] = "t"
    stream: list[str | int] | None = None
    """What names the bootstrap's stream beside the seed."""
    resamples: int | None = None

    @property
    def rough(self) -> bool:
        """Whether an interval rests on so few items that it is only rough."""
        return self.items < ROUGH


def sums_and_counts(values: ByItem, items: Sequence[str] | None = None) -> tuple[Array, Array]:
    """The sum and the number of values of each item; of those named, where `items` is given."""
    named = list(values) if items is None else items
    rows = [values.get(item, ()) for item in named]
    return np.array([float(sum(row)) for row in rows]), np.array([float(len(row)) for row in rows])


def deviations(sums: Array, counts: Array) -> tuple[Array, Array]:
    """The mean over the last axis, and each cluster's share Σ(d_i − d̄)/n in its error; nan where nothing is counted."""
    n = counts.sum(-1)
    n = np.where(n > 0, n, np.nan)
    average = sums.sum(-1) / n
    return average, (sums - average[..., None] * counts) / n[..., None]


def robust_error(deviation: Array, clusters: Array) -> Array:
    """The cluster-robust standard error from each cluster's deviation (0 for a cluster without values)."""
    few = np.where(clusters > 1, clusters / np.maximum(clusters - 1, 1), np.nan)
    return np.asarray(np.sqrt(few * (deviation**2).sum(-1)), dtype=np.float64)


def t_interval(average: Array, error: Array, clusters: Array, level: float = 0.95) -> tuple[Array, Array]:
    """The interval average ± t·error with C − 1 degrees of freedom."""
    reach = stats.t.ppf((1 + level) / 2, np.maximum(clusters - 1, 1)) * error
    return average - reach, average + reach


def mean(values: ByItem, level: float = 0.95) -> Estimate:
    """The mean of all values, with its cluster-robust interval."""
    sums, counts = sums_and_counts(values)
    average, deviation = deviations(sums, counts)
    return _estimate(average, deviation, counts > 0, int(counts.sum()), level)


def difference(first: ByItem, second: ByItem, level: float = 0.95) -> Estimate:
    """The mean of `first` minus that of `second`, paired by item: an item's values of both vary together."""
    items = sorted({*first, *second})
    (one, ones), (two, twos) = sums_and_counts(first, items), sums_and_counts(second, items)
    (left, lefts), (right, rights) = deviations(one, ones), deviations(two, twos)
    n = int(ones.sum() + twos.sum()) if ones.sum() and twos.sum() else 0
    return _estimate(left - right, lefts - rights, (ones > 0) | (twos > 0), n, level)


def _estimate(average: Array, deviation: Array, present: NDArray[np.bool_], n: int, level: float) -> Estimate:
    clusters = int(present.sum())
    if n == 0:
        return Estimate(None, None, None, 0, clusters, None, level)
    error = float(robust_error(deviation, np.array(float(clusters)))) if clusters > 1 else None
    if error is None or error < 1e-12:
        return Estimate(float(average), None, None, n, clusters, None, level)
    low, high = t_interval(average, np.array(error), np.array(float(clusters)), level)
    return Estimate(float(average), float(low), float(high), n, clusters, error, level)


def within_item(values: ByItem) -> float | None:
    """The correlation of two values of one item, 0 to 1, by analysis of variance; missing where no item has two.

    ICC(1) of Shrout & Fleiss (1979, Psychological Bulletin 86:420), with the mean size of Snedecor & Cochran for items
    with different numbers of values; below 0 it is 0.
    """
    sums, counts = sums_and_counts({item: row for item, row in values.items() if row})
    n, groups = float(counts.sum()), counts.size
    if groups < 2 or n == groups:
        return None
    squares = sum(one * one for row in values.values() for one in row)
    between = (float((sums**2 / counts).sum()) - float(sums.sum()) ** 2 / n) / (groups - 1)
    within = (squares - float((sums**2 / counts).sum())) / (n - groups)
    size = (n - float((counts**2).sum()) / n) / (groups - 1)
    whole = between + (size - 1) * within
    return min(1.0, max(0.0, (between - within) / whole)) if whole > 0 else None


Statistic = Callable[[Array], Array]
"""From the means of each column (last axis) to the figure."""


def bootstrap(
    columns: Sequence[ByItem],
    statistic: Statistic,
    *,
    seed: int,
    purpose: Sequence[str | int],
    resamples: int = 5000,
    level: float = 0.95,
) -> Estimate:
    """A figure made of means (`statistic` of one mean for each column), its interval from items drawn anew.

    Items are drawn with replacement, all their values together (cluster bootstrap: Davison & Hinkley 1997, §3.8), and
    the interval is that between percentiles. Draws come from the stream `("bootstrap", *purpose)` of `seed`.
    """
    items = sorted({item for values in columns for item, row in values.items() if row})
    pairs = [sums_and_counts(values, items) for values in columns]
    sums, counts = np.stack([one for one, _ in pairs], -1), np.stack([two for _, two in pairs], -1)
    named: list[str | int] = ["bootstrap", *purpose]
    known = counts.size > 0 and bool(counts.sum(0).all())
    value = float(statistic(sums.sum(0) / counts.sum(0))) if known else None
    n = int(counts.sum()) if known else 0
    low = high = error = None
    if known and len(items) > 1:
        figures = statistic(resampled(sums, counts, np.random.default_rng(stream_seed(seed, *named)), resamples))
        figures = figures[np.isfinite(figures)]
        if figures.size and float(np.ptp(figures)) > 1e-12:
            low, high = (float(one) for one in np.quantile(figures, [(1 - level) / 2, (1 + level) / 2]))
            error = float(figures.std())
    return Estimate(value, low, high, n, len(items), error, level, "bootstrap", named, resamples)


def resampled(sums: Array, counts: Array, generator: np.random.Generator, resamples: int) -> Array:
    """The mean of each column in each resample of the items (first axis); nan where a column has no value in it."""
    size, means = len(sums), []
    for some in portions(resamples, size):
        times = generator.multinomial(size, np.full(size, 1 / size), size=some).astype(np.float64)
        n = times @ counts
        means.append(times @ sums / np.where(n > 0, n, np.nan))
    return np.concatenate(means)


def portions(rows: int, width: int) -> list[int]:
    """The rows of a table cut into portions of some four million numbers, so that memory holds them."""
    most = max(1, 4_000_000 // max(width, 1))
    return [min(most, rows - start) for start in range(0, rows, most)]
