"""Open a room: listen, print its address, and close it so that every run can be gone on with."""

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import ModuleType

import uvicorn
from starlette.routing import Mount

from ...nodes.database import default_database, work_in
from ...state.refused import Refused
from ..saved import opened
from .application import application
from .door import Door
from .driver import Driver, Queue
from .guard import is_loopback
from .hub import Hub
from .openai.asked import Seating
from .openai.endpoint import Clients, endpoint
from .openai.keys import Keys
from .room import Room

__all__ = ["Clients", "Keys", "Place", "Seating", "serve_until_interrupted"]

CONNECTIONS = 1000
CLOSING = 20
"""Seconds that open connections and steps under way have when the room closes."""


@dataclass(frozen=True)
class Place:
    """Where a room listens. `names`: host names it is called by beside `host`. `token`: one that is set."""

    host: str
    port: int
    names: Sequence[str] = ()
    token: str = ""


class Server(uvicorn.Server):
    """A server that prints its address once it listens, and lets go of who watches when it closes.

    `lines`: what is printed.
    """

    def __init__(self, config: uvicorn.Config, hub: Hub, lines: Sequence[str]) -> None:
        super().__init__(config)
        self.hub, self.lines = hub, lines

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and say where."""
        await super().startup(sockets)
        print(*self.lines, sep="\n", flush=True)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close."""
        self.hub.close()
        await super().shutdown(sockets)


@asynccontextmanager
async def handed_to(workers: ModuleType | None, address: str) -> AsyncIterator[Queue | None]:
    """The queue of runs that workers take; none: there is none."""
    if workers is None:
        yield None
    else:
        async with workers.opened_queue(address) as app:
            yield workers.Handing(app)


async def serve_room(place: Place, db: str, breath: float, clients: Clients, workers: ModuleType | None) -> None:
    """Serve until the process is interrupted. Raises `Refused` for a place beyond this machine without a token.

    `breath`: seconds a rehearsed answer takes; `workers`: what runs are left to, none: this process drives them.
    """
    beyond = not is_loopback(place.host)
    if beyond and not place.token:
        remedy = "beyond this machine set MOOT_ROOM_TOKEN, at least 16 characters that you tell those who may come in"
        raise Refused("--host", place.host, remedy)
    listening = listen(place)
    database = db or default_database()
    async with opened(database) as store, handed_to(workers, database) as queue:
        work_in(database)
        room = Room(store, Driver(store, breath, queue), Door(place.token), beyond)
        app = application(room, [place.host, *place.names], [Mount("/v1", endpoint(room, clients))])
        config = uvicorn.Config(
            app,
            log_level="warning",
            server_header=False,
            access_log=False,
            ws="none",
            limit_concurrency=CONNECTIONS,
            timeout_graceful_shutdown=CLOSING,
        )
        host = f"[{place.host}]" if ":" in place.host else place.host
        root = f"http://{host}:{listening.getsockname()[1]}"
        made = [f"Key for {root}/v1, shown once: {clients.keys.made}"] if clients.keys.made else []
        await Server(config, room.hub, [f"{root}/{room.door.query}", *made]).serve([listening])


def listen(place: Place) -> socket.socket:
    """A socket that listens there. Raises `Refused` where it cannot."""
    try:
        family, *_, address = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address, family=family, backlog=CONNECTIONS)
    except OSError as fault:
        remedy = f"cannot listen there ({fault.strerror or fault}); choose another with --port, 0: any that is free"
        raise Refused("--port", place.port, remedy) from None


def serve_until_interrupted(place: Place, db: str, breath: float, clients: Clients, workers: ModuleType | None) -> None:
    """The same, blocking."""
    try:
        asyncio.run(serve_room(place, db, breath, clients, workers))
    except KeyboardInterrupt:
        return
