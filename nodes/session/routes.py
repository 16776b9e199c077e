"""Route between the turns of a session."""

from collections.abc import Callable

from ...state.channel_requirements import mark_reads
from ...state.floor import get_floor_seat
from ...state.session.channels import SessionStageState
from ...state.statement import list_names
from ...state.stopping_rules import StoppingRule
from ...state.window import count_next_fold


def route_in_session(rule: StoppingRule) -> Callable[[SessionStageState], str]:
    """Build the route from a turn: to a model, a person, a longer summary, or the end."""

    def route_in_session(state: SessionStageState) -> str:
        if rule(state):
            return "over"
        if count_next_fold(state["settings"], len(state["participants"]), len(state["history"]), state["summary"]):
            return "window full"
        participants = state["participants"]
        if not state["floor"]:
            return "waiting"
        return (
            "a model's turn"
            if participants[get_floor_seat(state["floor"], list_names(participants))].kind == "model"
            else "waiting"
        )

    return mark_reads(route_in_session, rule)
