"""Fill the floor: who speaks in the round to come, in which order."""

from collections.abc import Callable

from ..state.deliberation import Floor, Given, Record
from ..state.writes import Update


class Ordering(Given, Floor, Record):
    """What an order may depend on."""


Order = Callable[[Ordering], list[str]]
"""A pure function of the state: the speakers of the round to come, first one first."""


def order(fill: Order) -> Callable[[Ordering], object]:
    """The step that opens a round whose speakers are given by `fill`."""

    async def order(state: Ordering) -> Update:
        """Open a round and fill its floor.

        Reads cast, rules, round, history, incidents; writes floor and round.
        """
        return Update(floor=fill(state), round=state["round"] + 1)

    return order


def seats(state: Ordering) -> list[str]:
    """Everyone once, in seat order."""
    return [one.name for one in state["participants"]]
