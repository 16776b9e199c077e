"""Server of a room. The server prints its address. After it closes, every run can be resumed."""

import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from types import ModuleType

import uvicorn
from starlette.routing import Mount
from starlette.types import ASGIApp

from ...state import InputError
from ...storage import get_default_database, set_default_database
from ..saved import keep_connected, open_database
from .application import build_application
from .connection import make_server_config, open_listener
from .guard import is_loopback
from .login import Login
from .openai import ApiKeys, ClientRuns, ClientSettings, ModelDefaults, build_endpoint, map_offered_models
from .room import Room
from .run_driver import RunDriver

__all__ = ["ApiKeys", "ClientSettings", "ListenAddress", "ModelDefaults", "serve_room"]


@dataclass(frozen=True)
class ListenAddress:
    """Address at which a room listens.

    `names`: additional host names of the room. `token`: configured token, or empty.
    """

    host: str
    port: int
    names: Sequence[str] = ()
    token: str = ""


class RoomServer(uvicorn.Server):
    """Server that prints its address when it listens, and drops its subscribers when it closes.

    The server closes if the connection to the database drops. `startup_lines`: lines printed when the server listens
    for the first time.
    """

    def __init__(self, config: uvicorn.Config, driver: RunDriver, startup_lines: list[str]) -> None:
        super().__init__(config)
        self.driver, self.startup_lines = driver, startup_lines

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        while self.startup_lines:
            print(self.startup_lines.pop(0), flush=True)

    async def on_tick(self, counter: int) -> bool:
        return await super().on_tick(counter) or bool(self.driver.losses)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.driver.hub.close()
        await super().shutdown(sockets)


async def serve_room(
    address: ListenAddress,
    db: str,
    rehearsal_delay: float,
    clients: ClientSettings,
    workers: ModuleType | None,
    build_agents: Callable[[ClientRuns, ClientSettings], ASGIApp] | None,
) -> None:
    """Serve a room until the process is interrupted.

    If the connection to the database drops, open the room again. `rehearsal_delay`: seconds before a rehearsed answer.
    `workers`: module of the workers; `None` if this process executes the runs. `build_agents`: builder of the endpoint
    for agents, or `None`. Raises `InputError` if the server cannot listen at the address, or if other machines can
    reach it and no token is configured.
    """
    is_exposed = not is_loopback(address.host)
    if is_exposed and not address.token:
        raise InputError(
            "--host",
            address.host,
            "must be an address of this machine, or users need a token: set MOOT_ROOM_TOKEN to 16 or more characters",
        )
    listener = open_listener(address.host, address.port)
    database, login = db or get_default_database(), Login(address.token)
    host = f"[{address.host}]" if ":" in address.host else address.host
    root_url = f"http://{host}:{listener.getsockname()[1]}"
    lines, key = [f"{root_url}/{login.query}"], clients.keys.new_key
    if clients.keys.file is None:
        note = f"shown once: {key}" if key else "printed at the first start; --new-api-key makes a new one"
        lines.append(f"Key for {root_url}/v1, {note}")
    if build_agents:
        names = ", ".join(name.removeprefix("moot/") for name in map_offered_models())
        lines.append(f"Agents: {root_url}/a2a/NAME ({names})")

    async def open_room() -> None:
        async with open_database(database) as store, AsyncExitStack() as queue_stack:
            queue = None
            if workers is not None:
                queue = workers.QueueClient(await queue_stack.enter_async_context(workers.open_queue(database)))
            set_default_database(database)
            driver = RunDriver(store, rehearsal_delay, queue, clients.defaults.models if is_exposed else None)
            room = Room(store, driver, login, is_exposed)
            runs = ClientRuns(room, clients.run_limit)
            routes = [Mount("/v1", build_endpoint(runs, clients))]
            routes += [Mount("/a2a", build_agents(runs, clients))] if build_agents else []
            app = build_application(room, [address.host, *address.names], routes)
            await RoomServer(make_server_config(app, timeout_graceful_shutdown=20), driver, lines).serve(
                [listener.dup()]
            )
            if driver.losses:
                raise driver.losses[0]

    await keep_connected(database, open_room, partial(print, file=sys.stderr, flush=True))
