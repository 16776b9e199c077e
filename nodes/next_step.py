"""Parts of a decision that several nodes share: the measure, and the choice of the next step."""

from collections.abc import Awaitable, Callable
from typing import Any

from ..state import Decision, FloorState, Update

Measure = Callable[[Any], Awaitable[Update | Decision]]
"""Function of a group of channels that returns its measurements, or the step that it needs first.

Lists in the measurements are new entries for the record.
"""


def choose_next_by_floor(state: FloorState) -> str:
    """Return the next step of a run that continues: a turn, or a round if the floor is empty."""
    return "next speaker" if state["floor"] else "next round"
