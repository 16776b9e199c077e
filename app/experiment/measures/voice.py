"""Who has the word, and whose word changes what comes out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .answers import TOLERANCE, Answer, same
from .positions import Values


def gini(spoken: Sequence[float]) -> float | None:
    """The Gini coefficient of what each spoke, times n/(n − 1): 0 all alike, 1 one alone; missing if nothing was said.

    (Deltas 2003, Rev. Economics & Statistics 85:226, for the correction.)
    """
    n, total = len(spoken), sum(spoken)
    if n < 2 or total <= 0:
        return None
    ordered = sorted(spoken)
    apart = sum((after - before) * k * (n - k) for k, (before, after) in enumerate(pairwise(ordered), 1))
    return apart / (total * (n - 1))


@dataclass(frozen=True)
class Forks:
    """What an item's deliberation decided, and what it decided when gone on with anew from its first round."""

    item: str
    decision: Answer | None
    """None where it came to none, a value of its own."""
    silenced: Mapping[str, Sequence[Answer | None]]
    """By participant whose statements of the first round were silenced: the decision of each fork."""
    control: Sequence[Answer | None]
    """Of each fork at the same point with nothing silenced."""


def influence(items: Sequence[Forks], tolerance: float = TOLERANCE) -> dict[str, Values]:
    """By participant: the share of forks without it that decide otherwise, minus that of control forks, by item."""
    values: dict[str, Values] = {}
    for one in items:
        for name, decisions in one.silenced.items():
            row = values.setdefault(name, {}).setdefault(one.item, [])
            if decisions and one.control:
                row.append(_changed(one, decisions, tolerance) - _changed(one, one.control, tolerance))
    return values


def changed(
    items: Sequence[Forks], of: Callable[[Forks], Sequence[Answer | None]], tolerance: float = TOLERANCE
) -> Values:
    """The share of some of each item's forks that decide otherwise than it did, by item."""
    values: Values = {}
    for one in items:
        row = values.setdefault(one.item, [])
        if decisions := of(one):
            row.append(_changed(one, decisions, tolerance))
    return values


def _changed(one: Forks, decisions: Sequence[Answer | None], tolerance: float) -> float:
    return sum(not _alike(one.decision, other, tolerance) for other in decisions) / len(decisions)


def _alike(one: Answer | None, other: Answer | None, tolerance: float) -> bool:
    return one is other if one is None or other is None else same(one, other, tolerance)
