"""Which way a session goes."""

from collections.abc import Callable

from ..state.ends import EndingRule
from ..state.session_state import SessionStage
from ..state.window import folds_next


def next_in_session(ending: EndingRule) -> Callable[[SessionStage], str]:
    """From a turn to the next one: a model speaks, a person or program is waited for, the window slides, or it ends."""

    def next_in_session(state: SessionStage) -> str:
        if ending(state):
            return "over"
        if folds_next(state["rules"], len(state["participants"]), len(state["history"]), state["summary"]):
            return "window full"
        expected = {one.name: one.kind for one in state["participants"]}
        return "a model's turn" if state["floor"] and expected[state["floor"][0]] == "model" else "waiting"

    return next_in_session
