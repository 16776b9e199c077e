"""A room over a test file's own folder, and somebody who has come into it."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from servers.room import Room, open_room


@pytest.fixture(scope="module")
def room(folder: Path) -> Iterator[Room]:
    with open_room(folder, "--rehearsal-delay", "0") as room:
        yield room


@pytest.fixture(scope="module")
def inside(room: Room) -> Iterator[httpx.Client]:
    with room.client() as client:
        yield client
