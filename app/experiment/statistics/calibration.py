"""A stop with a promise: the laxest threshold of a signal under which few decisions would have come out otherwise.

Learn then Test (Angelopoulos, Bates, Candès, Jordan & Lei 2021, arXiv:2110.01052), with one fixed sequence of tests:
thresholds λ from strict to lax, each with p_λ = P[Bin(n, δ) ≤ losses], walked while p_λ ≤ ε. With probability 1 − ε
over calibration sets, at most a share δ of runs on new items drawn as these were then end with another decision.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from ....state.refused import Refused

GRID = [percent / 100 for percent in range(100, 49, -1)]
"""Thresholds, from strict to lax."""


@dataclass(frozen=True)
class Course:
    """One run on one item, taken to the cap with every other stop off."""

    signal: Sequence[float]
    """The score after each round, 0–1."""
    decisions: Sequence[Hashable]
    """The decision after each round: the plurality of positions, a tie a value of its own."""


@dataclass(frozen=True)
class Calibration:
    """A threshold, what it promises, and what it was found on."""

    threshold: float
    delta: float
    """Share of runs that may end with another decision."""
    epsilon: float
    """Chance that the promise does not hold, divided by the number of signals tried."""
    n: int
    """Items."""
    losses: int
    """Runs whose decision at the threshold was not their last one."""
    p: float
    rounds_saved: float
    """Mean rounds a run is shorter by."""


def fewest_items(delta: float, epsilon: float) -> int:
    """Items without which no threshold can pass: n ≥ ln ε / ln(1 − δ)."""
    for key, value in (("delta", delta), ("epsilon", epsilon)):
        if not 0 < value < 1:
            raise Refused(key, value, "give a share above 0 and below 1, such as 0.1")
    return math.ceil(math.log(epsilon) / math.log1p(-delta) - 1e-9)


def calibrate(courses: Sequence[Course], *, delta: float = 0.1, epsilon: float = 0.1, signals: int = 1) -> Calibration:
    """The laxest threshold that keeps the promise, from one run of each of n items; `signals`: how many are tried.

    Raises `Refused` where there are too few items, or where no threshold that passes would save a round.
    """
    share = epsilon / signals
    least = fewest_items(delta, share)
    if len(courses) < least:
        remedy = f"a stop with δ = {delta:g} and ε = {share:g} needs n ≥ ln ε / ln(1 − δ) = {least} items, one run each"
        raise Refused("items", len(courses), remedy)
    losses, saved = _losses_and_rounds_saved(courses)
    passed = walked(losses, len(courses), delta, share)
    if passed == 0 or saved[passed - 1].sum() == 0:
        remedy = (
            f"no threshold with δ = {delta:g} and ε = {share:g} saves a round; run to the cap, or use another signal"
        )
        raise Refused("signal", f"{passed} of {len(GRID)} thresholds pass", remedy)
    last = passed - 1
    p = float(stats.binom.cdf(losses[last], len(courses), delta))
    rounds = float(saved[last].mean())
    return Calibration(GRID[last], delta, share, len(courses), int(losses[last]), p, rounds)


def walked(losses: np.ndarray, n: int, delta: float, epsilon: float) -> int:
    """How many thresholds of the grid pass before the first that does not, from each one's number of losses."""
    fails = np.flatnonzero(stats.binom.cdf(losses, n, delta) > epsilon)
    return int(fails[0]) if fails.size else len(losses)


def stop_round(signal: Sequence[float], threshold: float) -> int:
    """The first round, from 0, whose score reaches the threshold, else the last one."""
    return next((t for t, score in enumerate(signal) if score >= threshold - 1e-9), len(signal) - 1)


def _losses_and_rounds_saved(courses: Sequence[Course]) -> tuple[np.ndarray, np.ndarray]:
    """For each threshold: the runs it would have ended with another decision, and the rounds it saves each run."""
    if uneven := [one for one in courses if not 0 < len(one.signal) == len(one.decisions)]:
        raise Refused("items", len(uneven), "each run has a score and a decision for each of its rounds, one or more")
    losses, saved = [], []
    for threshold in GRID:
        stops = [stop_round(one.signal, threshold) for one in courses]
        pairs = list(zip(courses, stops, strict=True))
        losses.append(sum(one.decisions[stop] != one.decisions[-1] for one, stop in pairs))
        saved.append([len(one.decisions) - 1 - stop for one, stop in pairs])
    return np.array(losses), np.array(saved)
