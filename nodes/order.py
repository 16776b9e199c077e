"""Fill the floor: who speaks in the round to come, in which order."""

from collections.abc import Callable

from ..state.writes import Update
from .ordering import Order, Ordering


def order(fill: Order) -> Callable[[Ordering], object]:
    """The step that opens a round whose speakers are given by `fill`."""

    async def order(state: Ordering) -> Update:
        """Open a round and fill its floor.

        Reads cast, rules, round, history, incidents; writes floor and round.
        """
        return Update(floor=fill(state), round=state["round"] + 1)

    return order
