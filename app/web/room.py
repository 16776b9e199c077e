"""Shared objects of a room, which each request can access."""

from dataclasses import dataclass, field
from typing import Any, cast

from starlette.requests import Request

from ..saved import Run, Store
from .login import Login
from .run_driver import RunDriver
from .run_subscribers import SubscriberHub


@dataclass(frozen=True)
class Room:
    """Open room, with its database and the driver of its runs.

    `is_exposed`: whether other machines can reach the room. `run_lines`: for each run in the list, its row and the line
    built from this row.
    """

    store: Store
    driver: RunDriver
    login: Login
    is_exposed: bool = False
    run_lines: dict[str, tuple[Run, dict[str, Any]]] = field(default_factory=dict)

    @property
    def hub(self) -> SubscriberHub:
        """Return the hub with the subscribers of the room's runs."""
        return self.driver.hub


def get_room(request: Request) -> Room:
    """Return the room that handles a request."""
    return cast(Room, request.app.state.room)
