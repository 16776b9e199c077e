"""Distribution of speech, and each voice's influence on the decision."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .answer_equality import TOLERANCE, Answer, is_same_answer
from .positions import ValuesByItem


def compute_gini(spoken: Sequence[float]) -> float | None:
    """Return the Gini coefficient of spoken amounts times n/(n − 1): 0 all equal, 1 a single speaker.

    `None` without speech. (Deltas 2003, Rev. Economics & Statistics 85:226, for the correction.)
    """
    n, total = len(spoken), sum(spoken)
    if n < 2 or total <= 0:
        return None
    ordered = sorted(spoken)
    area = sum((after - before) * k * (n - k) for k, (before, after) in enumerate(pairwise(ordered), 1))
    return area / (total * (n - 1))


@dataclass(frozen=True)
class ForkDecisions:
    """Decision of an item's deliberation and the decisions of its forks after the first round."""

    item: str
    decision: Answer | None
    """Decision of the talk; `None` without one, which counts as a value of its own."""
    silenced: Mapping[str, Sequence[Answer | None]]
    """By participant with silenced first-round statements: the decision of each fork."""
    control: Sequence[Answer | None]
    """Decision of each control fork, where all statements stay."""


def measure_influence(items: Sequence[ForkDecisions], tolerance: float = TOLERANCE) -> dict[str, ValuesByItem]:
    """Return by participant and item the changed share of its forks, minus that of control forks."""
    values: dict[str, ValuesByItem] = {}
    for item_decisions in items:
        for name, decisions in item_decisions.silenced.items():
            row = values.setdefault(name, {}).setdefault(item_decisions.item, [])
            if decisions and item_decisions.control:
                row.append(
                    _compute_changed_share(item_decisions, decisions, tolerance)
                    - _compute_changed_share(item_decisions, item_decisions.control, tolerance)
                )
    return values


def collect_changed_shares(
    items: Sequence[ForkDecisions],
    select_forks: Callable[[ForkDecisions], Sequence[Answer | None]],
    tolerance: float = TOLERANCE,
) -> ValuesByItem:
    """Return the share of selected forks that decide otherwise than their talk, by item."""
    values: ValuesByItem = {}
    for item_decisions in items:
        row = values.setdefault(item_decisions.item, [])
        if decisions := select_forks(item_decisions):
            row.append(_compute_changed_share(item_decisions, decisions, tolerance))
    return values


def _compute_changed_share(
    item_decisions: ForkDecisions, decisions: Sequence[Answer | None], tolerance: float
) -> float:
    return sum(
        not _is_same_decision(item_decisions.decision, fork_decision, tolerance) for fork_decision in decisions
    ) / len(decisions)


def _is_same_decision(first: Answer | None, second: Answer | None, tolerance: float) -> bool:
    return first is second if first is None or second is None else is_same_answer(first, second, tolerance)
