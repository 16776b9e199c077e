"""How everyone is told what came of a vote: in every prompt from now on, and in memory."""

from ...state.deliberation import Floor, Given, Remembering
from ...state.memory import remembered
from ...state.statement import Notice
from ...state.writes import Update


class Telling(Given, Floor, Remembering):
    """What it takes to tell everyone."""


def told_to_all(state: Telling, line: str) -> Update:
    """The news that everyone is told `line`, whatever their view of the record."""
    told = Notice(turn=state["turn"], text=line)
    return Update(notices=[told], memory=remembered(state["memory"], [line], state["rules"].memory, []))
