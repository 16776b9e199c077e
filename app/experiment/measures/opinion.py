"""Where opinions stand between against and for, and how a talk moved them."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from .positions import Declared, Positions, Values

STANCES = {"for": 1.0, "undecided": 0.0, "against": -1.0}


@dataclass(frozen=True)
class Opinion:
    """How the opinions of one run moved from the first time to the last."""

    n: int
    """Participants whose opinion is known at both."""
    shift: float
    """Mean of post − pre."""
    size: float
    """Mean of its size."""
    polarisation: float
    """sign(mean pre)·(mean post − mean pre): above 0 where the group moved on to the side it leant to."""
    variance_ratio: float | None
    """Variance after over that before; missing where all stood at one point before."""


def stand(declared: Declared, midpoint: float | None) -> float | None:
    """An opinion as a number: for 1, undecided 0, against −1, times certainty/100; a number minus the midpoint.

    Missing for another option, for a stance whose certainty is not known, and for a number without a midpoint.
    """
    if isinstance(declared.answer, str):
        side = STANCES.get(declared.answer)
        return side * declared.certainty / 100 if side is not None and declared.certainty is not None else None
    return declared.answer - midpoint if midpoint is not None else None


def opinion(run: Positions) -> Opinion | None:
    """How opinions moved in a run; missing where nobody's is known before and after."""
    first, last = run.at(0), run.at(-1)
    both = [(stand(first[name], run.midpoint), stand(last[name], run.midpoint)) for name in first if name in last]
    pairs = [(pre, post) for pre, post in both if pre is not None and post is not None]
    if not pairs:
        return None
    before, after = [pre for pre, _ in pairs], [post for _, post in pairs]
    shift, lean = fmean(after) - fmean(before), fmean(before)
    side = 0 if abs(lean) < 1e-12 else (1 if lean > 0 else -1)
    spread = variance(before) if len(pairs) > 1 else 0.0
    ratio = variance(after) / spread if spread > 0 else None
    return Opinion(len(pairs), shift, fmean(abs(post - pre) for pre, post in pairs), side * shift, ratio)


def opinions(runs: Sequence[Positions]) -> dict[str, Values]:
    """`shift`, `size`, `polarisation` and `variance_ratio`, each by item."""
    found: dict[str, Values] = {
        name: {run.item: [] for run in runs} for name in ("shift", "size", "polarisation", "variance_ratio")
    }
    for run in runs:
        if (moved := opinion(run)) is not None:
            for name, values in found.items():
                value = getattr(moved, name)
                if value is not None:
                    values[run.item].append(value)
    return found
