"""How everyone is told what came of a vote: in every prompt from now on, and in memory."""

from ...state.deliberation import Given, Remembering
from ...state.memory import remembered
from ...state.writes import Update


class Telling(Given, Remembering):
    """What it takes to tell everyone."""


def told_to_all(state: Telling, line: str) -> Update:
    """The news that everyone is told `line`, whatever their view of the record."""
    return Update(notices=[line], memory=remembered(state["memory"], [line], state["rules"].memory, []))
