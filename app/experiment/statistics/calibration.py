"""Calibration of a stop: the laxest threshold at which few decisions differ from complete talks.

The method is Learn then Test (Angelopoulos, Bates, Candès, Jordan & Lei 2021, arXiv:2110.01052) with one fixed sequence
of tests. Thresholds λ go from strict to lax, each with p_λ = P[Bin(n, δ) ≤ losses], while p_λ ≤ ε. The guarantee holds
with probability 1 − ε over calibration sets. It says: at most a share δ of runs on new items from the same source end
with another decision.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from ....state import InputError

THRESHOLDS = [percent / 100 for percent in range(100, 49, -1)]
"""Candidate thresholds, from strict to lax."""


@dataclass(frozen=True)
class CalibrationRun:
    """Complete run on one item, with all other stopping rules off.

    `scores`: score after each round, 0–1. `decisions`: decision after each round, which is the most common position. A
    tie is a decision of its own.
    """

    scores: Sequence[float]
    decisions: Sequence[Hashable]


@dataclass(frozen=True)
class Calibration:
    """Threshold with its guarantee and its data.

    `delta`: share of runs that may end with another decision. `epsilon`: probability that the guarantee fails, divided
    by the number of signals. `n`: number of items. `losses`: runs whose decision at the threshold differed from their
    last one. `rounds_saved`: mean number of rounds saved per run.
    """

    threshold: float
    delta: float
    epsilon: float
    n: int
    losses: int
    p: float
    rounds_saved: float


def compute_min_items(delta: float, epsilon: float) -> int:
    """Compute the minimum number of items with which any threshold can pass: n ≥ ln ε / ln(1 − δ)."""
    for key, value in (("delta", delta), ("epsilon", epsilon)):
        if not 0 < value < 1:
            raise InputError(key, value, "give a share above 0 and below 1, such as 0.1")
    return math.ceil(math.log(epsilon) / math.log1p(-delta) - 1e-9)


def calibrate_threshold(
    runs: Sequence[CalibrationRun], *, delta: float = 0.1, epsilon: float = 0.1, signal_count: int = 1
) -> Calibration:
    """Find the laxest threshold that keeps the guarantee, and return it with its evidence.

    The guarantee: with confidence 1 − `epsilon` / `signal_count`, at most a share `delta` of runs stops with another
    decision than its last.

    `runs`: one run of each item. `signal_count`: number of signals tried. Raises `InputError` for too few items, or if
    no passing threshold saves a round.
    """
    signal_epsilon = epsilon / signal_count
    min_items = compute_min_items(delta, signal_epsilon)
    if len(runs) < min_items:
        remedy = (
            f"a stop with δ = {delta:g} and ε = {signal_epsilon:g} needs n ≥ ln ε / ln(1 − δ) = "
            f"{min_items} items, one run each"
        )
        raise InputError("items", len(runs), remedy)
    if uneven_runs := [run for run in runs if not 0 < len(run.scores) == len(run.decisions)]:
        remedy = "each run has a score and a decision for each of its rounds, one or more"
        raise InputError("items", len(uneven_runs), remedy)
    losses, saved_rounds = [], []
    for threshold in THRESHOLDS:
        stops = [(run.decisions, compute_stop_round(run.scores, threshold)) for run in runs]
        losses.append(sum(decisions[stop_round] != decisions[-1] for decisions, stop_round in stops))
        saved_rounds.append(sum(len(decisions) - 1 - stop_round for decisions, stop_round in stops))
    passed_count = count_passing_thresholds(np.array(losses), len(runs), delta, signal_epsilon)
    index = passed_count - 1
    if passed_count == 0 or saved_rounds[index] == 0:
        remedy = f"no threshold with δ = {delta:g} and ε = {signal_epsilon:g} saves a round"
        passed_text = f"{passed_count} of {len(THRESHOLDS)} thresholds pass"
        raise InputError("signal", passed_text, f"{remedy}; run to the cap, or use another signal")
    p, mean_saved_rounds = float(stats.binom.cdf(losses[index], len(runs), delta)), saved_rounds[index] / len(runs)
    return Calibration(THRESHOLDS[index], delta, signal_epsilon, len(runs), losses[index], p, mean_saved_rounds)


def count_passing_thresholds(losses: np.ndarray, n: int, delta: float, epsilon: float) -> int:
    """Count the thresholds, from strict to lax, that pass before the first failure.

    `losses`: number of changed decisions at each threshold. `n`: number of runs.
    """
    failures = np.flatnonzero(stats.binom.cdf(losses, n, delta) > epsilon)
    return int(failures[0]) if failures.size else len(losses)


def compute_stop_round(scores: Sequence[float], threshold: float) -> int:
    """Return the first round, from 0, whose score reaches the threshold, or else the last round."""
    return next((t for t, score in enumerate(scores) if score >= threshold - 1e-9), len(scores) - 1)
