"""Node that decides the next step (turn, question, vote, ending), and nodes that record endings."""

from collections.abc import Callable
from typing import Any

from langgraph.types import Send

from ..state import (
    Branch,
    Decision,
    DecisionState,
    EndingKinds,
    InputError,
    ProgressState,
    StoppingRule,
    Update,
    choose_ending_kind,
    mark_reads,
)
from .routes import Measure, choose_next_by_floor


def decide(
    rule: StoppingRule,
    kinds: EndingKinds,
    *,
    measure: Measure | None = None,
    choose_next: Callable[[Any], str] = choose_next_by_floor,
    list_questions: Callable[[Any], list[Branch]] | None = None,
    needs_vote: Callable[[Any], bool] | None = None,
    opening_rule: StoppingRule | None = None,
) -> Callable[[Any], object]:
    """Build the node that decides the next step of a run.

    `rule`: stopping rule. `kinds`: reasons of endings by kind, where each kind is a route. `measure` runs first.
    `choose_next` names the next step of a run that continues. `list_questions` lists the questions to ask before that
    step. `needs_vote` returns whether a closing vote follows an ending. Before the first round, `opening_rule` applies
    instead of `rule`; without it, the first round always opens. Raises `InputError` if `kinds` lacks `halt`, the kind
    of all other reasons.
    """
    if "halt" not in kinds:
        raise InputError("kinds", ", ".join(kinds), 'add "halt": (), the kind of every reason that no other kind names')

    async def decide(state: ProgressState) -> Update:
        """Measure the run, and decide the next step.

        Reads floor, round, turn, record, settings, and the channels of the rules; writes decision, and the measured
        channels.
        """
        measurements = await measure(state) if measure else Update()
        if isinstance(measurements, Decision):
            return Update(decision=measurements)
        state = apply_update(state, measurements)
        applicable_rule = rule if state["round"] else opening_rule
        ending = applicable_rule(state) if applicable_rule else None
        label = choose_ending_kind(ending, kinds) if ending else choose_next(state)
        is_vote_due = ending is not None and needs_vote is not None and needs_vote(state)
        decision = Decision(next="vote" if is_vote_due else label, ending=ending)
        questions = list_questions({**state, "decision": decision}) if list_questions else []
        return measurements | Update(decision=Decision(branches=questions) if questions else decision)

    parts = (rule, measure, choose_next, list_questions, needs_vote, opening_rule)
    return mark_reads(decide, *(part for part in parts if part))


def apply_update(state: Any, update: Update) -> Any:
    """Return the state after `update`: its lists are appended, and its other values replace the old ones."""
    changes = {
        key: [*state[key], *value] if isinstance(value, list) and isinstance(state.get(key), list) else value
        for key, value in update.items()
    }
    return {**state, **changes}


def route_by_decision(state: DecisionState) -> str | list[Send]:
    """Route to the parallel branches of the decision or, if it has none, to its next step."""
    decision = state["decision"]
    assert decision is not None
    return [Send(branch.node, branch.make_payload()) for branch in decision.branches] or decision.next


async def record_ending(state: DecisionState) -> Update:
    """Record the ending that the decision chose.

    Reads decision; writes ending.
    """
    decision = state["decision"]
    assert decision is not None
    return Update(ending=decision.ending)
