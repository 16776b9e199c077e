"""What fills a floor: pure functions of the state, and the plainest of them."""

from collections.abc import Callable

from ..state.deliberation import Floor, Given, Record


class Ordering(Given, Floor, Record):
    """What an order may depend on."""


Order = Callable[[Ordering], list[str]]
"""A pure function of the state: the speakers of the round to come, first one first."""


def seats(state: Ordering) -> list[str]:
    """Everyone once, in seat order."""
    return [one.name for one in state["participants"]]
