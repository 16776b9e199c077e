"""Opinions as numbers from −1 (against) to 1 (for), and their movement during a talk."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from .positions import DeclaredAnswer, PositionHistory, ValuesByItem

STANCES = {"for": 1.0, "undecided": 0.0, "against": -1.0}


@dataclass(frozen=True)
class OpinionShift:
    """Movement of the opinions in one run from the first to the last time.

    `n`: participants with a known opinion at both times. `shift`: mean of post − pre. `size`: mean of |post − pre|.
    `polarisation`: sign(mean pre)·(mean post − mean pre); above 0 if the group moved further to its own side.
    `variance_ratio`: variance after the talk divided by variance before it; `None` if all opinions were equal before
    it.
    """

    n: int
    shift: float
    size: float
    polarisation: float
    variance_ratio: float | None


def score_stance(declaration: DeclaredAnswer, midpoint: float | None) -> float | None:
    """Score an opinion: 1 for, 0 undecided or −1 against, multiplied by certainty/100.

    The score of a numeric answer is its distance from the midpoint. Returns `None` for other options, for a stance
    without certainty, and for a number without a midpoint.
    """
    if isinstance(declaration.answer, str):
        side = STANCES.get(declaration.answer)
        return side * declaration.certainty / 100 if side is not None and declaration.certainty is not None else None
    return declaration.answer - midpoint if midpoint is not None else None


def measure_opinion_shift(run: PositionHistory) -> OpinionShift | None:
    """Measure the movement of opinions; `None` if no participant has an opinion before and after."""
    stances = [
        (score_stance(first, run.midpoint), score_stance(last, run.midpoint)) for first, last in run.pair_declarations()
    ]
    pairs = [(pre, post) for pre, post in stances if pre is not None and post is not None]
    if not pairs:
        return None
    before, after = [pre for pre, _ in pairs], [post for _, post in pairs]
    shift, initial_mean = fmean(after) - fmean(before), fmean(before)
    side = 0 if abs(initial_mean) < 1e-12 else (1 if initial_mean > 0 else -1)
    initial_variance = variance(before) if len(pairs) > 1 else 0.0
    ratio = variance(after) / initial_variance if initial_variance > 0 else None
    return OpinionShift(len(pairs), shift, fmean(abs(post - pre) for pre, post in pairs), side * shift, ratio)


def collect_opinion_shifts(runs: Sequence[PositionHistory]) -> dict[str, ValuesByItem]:
    """Return the values of `shift`, `size`, `polarisation` and `variance_ratio`, each grouped by item."""
    names = ("shift", "size", "polarisation", "variance_ratio")
    shifts: dict[str, ValuesByItem] = {name: {run.item: [] for run in runs} for name in names}
    for run in runs:
        opinion_shift = measure_opinion_shift(run)
        for name, values in shifts.items():
            if (value := getattr(opinion_shift, name, None)) is not None:
                values[run.item].append(value)
    return shifts
