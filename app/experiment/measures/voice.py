"""Distribution of speech, and the influence of each participant on the decision."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .answer_equality import TOLERANCE, Answer, is_same_answer
from .positions import ValuesByItem


def compute_gini(amounts: Sequence[float]) -> float | None:
    """Return the Gini coefficient of spoken amounts times n/(n − 1): 0 all equal, 1 a single speaker.

    `None` without speech or with fewer than two amounts. (Deltas 2003, Rev. Economics & Statistics 85:226, for the
    correction.)
    """
    n, total = len(amounts), sum(amounts)
    if n < 2 or total <= 0:
        return None
    sorted_amounts = sorted(amounts)
    area = sum((after - before) * k * (n - k) for k, (before, after) in enumerate(pairwise(sorted_amounts), 1))
    return area / (total * (n - 1))


@dataclass(frozen=True)
class ForkDecisions:
    """Decision of a talk and the decisions of its forks after the first round."""

    item: str
    decision: Answer | None
    """Decision of the talk; `None` without one, which is counted as a decision too."""
    silenced_decisions: Mapping[str, Sequence[Answer | None]]
    """Decisions of the forks that silence a participant's first-round statements, by participant."""
    control: Sequence[Answer | None]
    """Decision of each control fork, where all statements stay."""


def measure_influence(fork_decisions: Sequence[ForkDecisions], tolerance: float = TOLERANCE) -> dict[str, ValuesByItem]:
    """Return the influence of each participant, by name and item.

    It is the changed share of the forks that silence the participant, minus that of the control forks.
    """
    values: dict[str, ValuesByItem] = {}
    for item_decisions in fork_decisions:
        for name, decisions in item_decisions.silenced_decisions.items():
            changes = values.setdefault(name, {}).setdefault(item_decisions.item, [])
            if decisions and item_decisions.control:
                changes.append(
                    _compute_changed_share(item_decisions, decisions, tolerance)
                    - _compute_changed_share(item_decisions, item_decisions.control, tolerance)
                )
    return values


def collect_changed_shares(
    fork_decisions: Sequence[ForkDecisions],
    select_forks: Callable[[ForkDecisions], Sequence[Answer | None]],
    tolerance: float = TOLERANCE,
) -> ValuesByItem:
    """Return the share of the selected forks with another decision than their talk, by item."""
    values: ValuesByItem = {}
    for item_decisions in fork_decisions:
        changed_shares = values.setdefault(item_decisions.item, [])
        if decisions := select_forks(item_decisions):
            changed_shares.append(_compute_changed_share(item_decisions, decisions, tolerance))
    return values


def _compute_changed_share(
    item_decisions: ForkDecisions, decisions: Sequence[Answer | None], tolerance: float
) -> float:
    return sum(
        not _is_same_decision(item_decisions.decision, fork_decision, tolerance) for fork_decision in decisions
    ) / len(decisions)


def _is_same_decision(first: Answer | None, second: Answer | None, tolerance: float) -> bool:
    return first is second if first is None or second is None else is_same_answer(first, second, tolerance)
