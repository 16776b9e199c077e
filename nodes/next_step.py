"""Parts of a decision, and their defaults: what is measured, what comes next, who is asked first."""

from collections.abc import Awaitable, Callable
from typing import Any

from ..state.decision import Branch, Decision
from ..state.deliberation import DecisionState, FloorState
from ..state.ending import Ending
from ..state.schemas import Update

Measure = Callable[[Any], Awaitable[Update | Decision]]
"""Function of the channels it names that returns what it measured, or the step that is needed before it can.

Its lists are entries for the record.
"""


def has_no_opening_ending(state: FloorState) -> Ending | None:
    """Return `None`: most protocols always open a first round."""
    return None


def choose_by_floor(state: FloorState) -> str:
    """Return the next step while the run is open: a turn, or a round if everyone has spoken."""
    return "next speaker" if state["floor"] else "next round"


def ask_nobody(state: DecisionState) -> list[Branch]:
    """Return no question."""
    return []


def has_no_closing_vote(state: FloorState) -> bool:
    """Return `False`: most protocols end without a vote."""
    return False


async def measure_nothing(state: FloorState) -> Update:
    """Return no measure."""
    return Update()
