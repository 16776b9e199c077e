"""Which way a session goes."""

from collections.abc import Callable

from ...state.ends import EndingRule
from ...state.floor import seat_on
from ...state.requirements import reading
from ...state.session.channels import SessionStage
from ...state.statement import names
from ...state.window import folds_next


def next_in_session(ending: EndingRule) -> Callable[[SessionStage], str]:
    """From a turn to the next one: a model speaks, a person or program is waited for, the window slides, or it ends."""

    def next_in_session(state: SessionStage) -> str:
        if ending(state):
            return "over"
        if folds_next(state["rules"], len(state["participants"]), len(state["history"]), state["summary"]):
            return "window full"
        people = state["participants"]
        if not state["floor"]:
            return "waiting"
        return "a model's turn" if people[seat_on(state["floor"], names(people))].kind == "model" else "waiting"

    return reading(next_in_session, ending)
