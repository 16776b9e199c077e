"""Routes between the turns of a session."""

from collections.abc import Callable
from typing import Any

from ...state import Branch, Decision, StoppingRule, count_leaving_statements, get_holder_index, list_names, mark_reads
from ...state.session.channels import SessionStageState


def choose_next_in_session(state: SessionStageState) -> str:
    """Return the next step of an open session: a model's turn, the wait for a person, or a new summary."""
    if count_leaving_statements(state["settings"], len(state["participants"]), len(state["history"]), state["summary"]):
        return "window full"
    participants = state["participants"]
    if not state["floor"]:
        return "waiting"
    holder = participants[get_holder_index(state["floor"], list_names(participants))]
    return "a model's turn" if holder.kind == "model" else "waiting"


def route_in_session(rule: StoppingRule, list_questions: Callable[[Any], list[Branch]]) -> Callable[..., str]:
    """Build the route after a turn: to the next turn, or to the decision.

    It leads to the decision if `rule` finds an ending or a question is due.
    """

    def route_in_session(state: SessionStageState) -> str:
        if rule(state):
            return "to decide"
        label = choose_next_in_session(state)
        return "to decide" if list_questions({**state, "decision": Decision(next=label)}) else label

    return mark_reads(route_in_session, rule, list_questions)
