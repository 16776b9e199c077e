"""Parts of a decision that several nodes share: what to measure, and what comes next."""

from collections.abc import Awaitable, Callable
from typing import Any

from ..state.decision import Decision
from ..state.deliberation import FloorState
from ..state.schemas import Update

Measure = Callable[[Any], Awaitable[Update | Decision]]
"""Function of the channels it names that returns what it measured, or the step that is needed before it can.

Its lists are entries for the record.
"""


def choose_by_floor(state: FloorState) -> str:
    """Return the next step of a run that continues: a turn, or a round if the floor is empty."""
    return "next speaker" if state["floor"] else "next round"
