"""Objects that all pages of a room share."""

from dataclasses import dataclass
from typing import cast

from starlette.requests import Request

from ..saved import Store
from .login import Login
from .run_driver import Driver
from .run_subscribers import Hub


@dataclass(frozen=True)
class Room:
    """Open room. `is_exposed`: whether other machines can reach it."""

    store: Store
    driver: Driver
    login: Login
    is_exposed: bool = False

    @property
    def hub(self) -> Hub:
        """Return the hub with the subscribers of the room's runs."""
        return self.driver.hub


def get_room(request: Request) -> Room:
    """Return the room that handles a request."""
    return cast(Room, request.app.state.room)
