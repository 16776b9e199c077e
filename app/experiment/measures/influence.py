"""Shares of the talk by participant, and the influence of each participant on the decision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from .answer_equality import TOLERANCE, Answer, is_same_answer
from .positions import ValuesByItem


def compute_gini(amounts: Sequence[float]) -> float | None:
    """Compute the Gini coefficient of spoken amounts times n/(n − 1): 0 if equal, 1 for a single speaker.

    Returns `None` without any speech or with fewer than two amounts. Source of the correction: Deltas 2003, Rev.
    Economics & Statistics 85:226.
    """
    n, total = len(amounts), sum(amounts)
    if n < 2 or total <= 0:
        return None
    sorted_amounts = sorted(amounts)
    area = sum((after - before) * k * (n - k) for k, (before, after) in enumerate(pairwise(sorted_amounts), 1))
    return area / (total * (n - 1))


@dataclass(frozen=True)
class ForkDecisions:
    """Decision of a talk, and the decisions of its forks after the first round.

    `decision`: decision of the talk. `None` means no decision, and differs from every decision. `silenced_decisions`:
    by participant, the decisions of forks without its first statements. `control`: decision of each control fork, which
    keeps all statements.
    """

    item: str
    decision: Answer | None
    silenced_decisions: Mapping[str, Sequence[Answer | None]]
    control: Sequence[Answer | None]


def measure_influence(fork_decisions: Sequence[ForkDecisions], tolerance: float = TOLERANCE) -> dict[str, ValuesByItem]:
    """Measure the influence of each participant, by name and item.

    It is the share of changed decisions in the participant's forks, minus that in the control forks.
    """
    values: dict[str, ValuesByItem] = {}
    for talk in fork_decisions:
        for name, decisions in talk.silenced_decisions.items():
            changes = values.setdefault(name, {}).setdefault(talk.item, [])
            if decisions and talk.control:
                changed_share = _compute_changed_share(talk, decisions, tolerance)
                changes.append(changed_share - _compute_changed_share(talk, talk.control, tolerance))
    return values


def collect_changed_shares(
    fork_decisions: Sequence[ForkDecisions], silenced_name: str | None, tolerance: float = TOLERANCE
) -> ValuesByItem:
    """Collect the share of forks that decide differently from their talk, by item.

    `silenced_name`: participant whose forks count; `None` for the control forks.
    """
    values: ValuesByItem = {}
    for talk in fork_decisions:
        shares = values.setdefault(talk.item, [])
        if decisions := talk.control if silenced_name is None else talk.silenced_decisions.get(silenced_name):
            shares.append(_compute_changed_share(talk, decisions, tolerance))
    return values


def _compute_changed_share(talk: ForkDecisions, decisions: Sequence[Answer | None], tolerance: float) -> float:
    changed_count = 0
    for decision in decisions:
        if decision is None or talk.decision is None:
            changed_count += decision is not talk.decision
        else:
            changed_count += not is_same_answer(talk.decision, decision, tolerance)
    return changed_count / len(decisions)
