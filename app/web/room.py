"""What every page of one room works with."""

from dataclasses import dataclass
from typing import cast

from starlette.requests import Request

from ..saved import Store
from .door import Door
from .driver import Driver
from .hub import Hub


@dataclass(frozen=True)
class Room:
    """An open room. `beyond`: whether it listens beyond this machine, so that whoever writes is a stranger."""

    store: Store
    driver: Driver
    door: Door
    beyond: bool = False

    @property
    def hub(self) -> Hub:
        """The watchers of its runs."""
        return self.driver.hub


def room_of(request: Request) -> Room:
    """The room a request was sent to."""
    return cast(Room, request.app.state.room)
