"""Routes that protocols share, and the choice of the next step. They only read the state."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langgraph.types import Send

from ..state import Decision, FloorState, StoppingRule, Update, mark_reads

Measure = Callable[[Any], Awaitable[Update | Decision]]
"""Function of a group of channels that returns its measurements, or the step that it needs first.

Lists in the measurements are new entries for the record.
"""


def choose_next_by_floor(state: FloorState) -> str:
    """Return the next step of a run that continues: a turn, or a new round if the floor is empty."""
    return "next speaker" if state["floor"] else "next round"


def route_after_turn(rule: StoppingRule, stopped: str = "stopped") -> Callable[..., str]:
    """Build the route after a turn: to the next speaker, or out of the round if it is complete.

    If `rule` finds an ending before the round is complete, the route is `stopped`.
    """

    def route_after_turn(state: FloorState) -> str:
        if rule(state):
            return stopped
        return "next speaker" if state["floor"] else "round done"

    return mark_reads(route_after_turn, rule)


def send_to_floor(node: str, floor: Sequence[str]) -> list[Send]:
    """Return a `Send` to a branch of `node` for each name on the floor.

    Each branch receives the name and `seat`, the position of the name on the floor, from 1.
    """
    return [Send(node, {"who": name, "seat": seat}) for seat, name in enumerate(floor, start=1)]


def route_to_floor(node: str) -> Callable[[FloorState], list[Send]]:
    """Build the route to a branch of `node` for everyone on the floor, at the same time."""

    def route_to_floor(state: FloorState) -> list[Send]:
        return send_to_floor(node, state["floor"])

    return route_to_floor


def send_to_all(node: str, names: Sequence[str]) -> list[Send]:
    """Return a `Send` to a branch of `node` for each name.

    A branch receives only the name. It reads everything else from the channels.
    """
    return [Send(node, {"who": name}) for name in names]
