"""Calibrated stop: the laxest threshold of a signal under which few decisions differ from those at the cap.

Learn then Test (Angelopoulos, Bates, Candès, Jordan & Lei 2021, arXiv:2110.01052), with one fixed sequence
of tests: thresholds λ from strict to lax, each with p_λ = P[Bin(n, δ) ≤ losses], walked while p_λ ≤ ε.
The guarantee holds with probability 1 − ε over calibration sets. It says: at most a share δ of runs on new
items from the same source end with another decision.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from ....state.errors import InputError

THRESHOLDS = [percent / 100 for percent in range(100, 49, -1)]
"""Candidate thresholds, from strict to lax."""


@dataclass(frozen=True)
class CalibrationRun:
    """One run on one item, taken to the cap with all other stopping rules off."""

    scores: Sequence[float]
    """Score after each round, 0–1."""
    decisions: Sequence[Hashable]
    """Decision after each round: the plurality of positions; a tie is a value of its own."""


@dataclass(frozen=True)
class Calibration:
    """Threshold with its guarantee and its data."""

    threshold: float
    delta: float
    """Share of runs that may end with another decision."""
    epsilon: float
    """Chance that the guarantee fails, divided by the number of signals tried."""
    n: int
    """Items."""
    losses: int
    """Runs whose decision at the threshold differed from their last one."""
    p: float
    rounds_saved: float
    """Mean number of rounds saved in a run."""


def compute_min_items(delta: float, epsilon: float) -> int:
    """Return the fewest items with which a threshold can pass: n ≥ ln ε / ln(1 − δ)."""
    for key, value in (("delta", delta), ("epsilon", epsilon)):
        if not 0 < value < 1:
            raise InputError(key, value, "give a share above 0 and below 1, such as 0.1")
    return math.ceil(math.log(epsilon) / math.log1p(-delta) - 1e-9)


def calibrate_threshold(
    runs: Sequence[CalibrationRun], *, delta: float = 0.1, epsilon: float = 0.1, signal_count: int = 1
) -> Calibration:
    """Return the laxest threshold that keeps the guarantee.

    `runs`: one run of each item. `signal_count`: number of signals tried. Raises `InputError` for too few items,
    or if no threshold that passes saves a round.
    """
    signal_epsilon = epsilon / signal_count
    min_items = compute_min_items(delta, signal_epsilon)
    if len(runs) < min_items:
        remedy = (
            f"a stop with δ = {delta:g} and ε = {signal_epsilon:g} needs n ≥ ln ε / ln(1 − δ) = "
            f"{min_items} items, one run each"
        )
        raise InputError("items", len(runs), remedy)
    losses, saved_rounds = _simulate_thresholds(runs)
    passed_count = count_passing_thresholds(losses, len(runs), delta, signal_epsilon)
    if passed_count == 0 or saved_rounds[passed_count - 1].sum() == 0:
        remedy = (
            f"no threshold with δ = {delta:g} and ε = {signal_epsilon:g} saves a round; run to the "
            "cap, or use another signal"
        )
        raise InputError("signal", f"{passed_count} of {len(THRESHOLDS)} thresholds pass", remedy)
    index = passed_count - 1
    p = float(stats.binom.cdf(losses[index], len(runs), delta))
    mean_saved_rounds = float(saved_rounds[index].mean())
    return Calibration(THRESHOLDS[index], delta, signal_epsilon, len(runs), int(losses[index]), p, mean_saved_rounds)


def count_passing_thresholds(losses: np.ndarray, n: int, delta: float, epsilon: float) -> int:
    """Count the thresholds, from strict to lax, that pass before the first failure.

    `losses`: number of lost runs at each threshold. `n`: number of runs.
    """
    failures = np.flatnonzero(stats.binom.cdf(losses, n, delta) > epsilon)
    return int(failures[0]) if failures.size else len(losses)


def compute_stop_round(scores: Sequence[float], threshold: float) -> int:
    """Return the first round, from 0, whose score reaches the threshold, else the last round."""
    return next((t for t, score in enumerate(scores) if score >= threshold - 1e-9), len(scores) - 1)


def _simulate_thresholds(runs: Sequence[CalibrationRun]) -> tuple[np.ndarray, np.ndarray]:
    """Return for each threshold the number of changed decisions and each run's saved rounds."""
    if uneven_runs := [run for run in runs if not 0 < len(run.scores) == len(run.decisions)]:
        raise InputError(
            "items", len(uneven_runs), "each run has a score and a decision for each of its rounds, one or more"
        )
    losses, saved_rounds = [], []
    for threshold in THRESHOLDS:
        stop_rounds = [compute_stop_round(run.scores, threshold) for run in runs]
        pairs = list(zip(runs, stop_rounds, strict=True))
        losses.append(sum(run.decisions[stop_round] != run.decisions[-1] for run, stop_round in pairs))
        saved_rounds.append([len(run.decisions) - 1 - stop_round for run, stop_round in pairs])
    return np.array(losses), np.array(saved_rounds)
