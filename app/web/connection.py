"""Connections to a server: its socket, and limits on connections.

The server closes slow and half-open connections, and limits the number of connections without a token.
"""

import asyncio
import socket
from collections import defaultdict
from typing import Any, ClassVar

import uvicorn
from starlette.types import ASGIApp, Scope
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from ...state import InputError

HEADER_SECONDS = 10.0
"""Maximum seconds from the start of a request to the end of its headers."""
MAX_STRANGERS, MAX_ALL_STRANGERS = 50, 400
"""Maximum number of connections that have shown no token, from one address and in all."""
MAX_REQUEST_BYTES = 2_000_000
"""Maximum bytes of the body of a program's request."""
CONNECTION_KEY = "moot.connection"
"""Key of the connection in the scope of its request."""


class RoomConnection(AutoHTTPProtocol):  # type: ignore[misc, valid-type, unused-ignore]
    """HTTP connection that must send its headers before a deadline.

    `strangers`: connections that have shown no token, by address, oldest first. At the limit, a new connection closes
    the oldest one, preferably one without a request. So a flood of half-open connections keeps nobody out.
    """

    strangers: ClassVar[defaultdict[str, list["RoomConnection"]]] = defaultdict(list)
    _deadline: asyncio.TimerHandle | None = None

    @property
    def has_request(self) -> bool:
        """Return whether a request has arrived completely up to its headers, and is not answered yet."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: Any) -> None:
        """Start the deadline for headers. If too many connections have no token, close one."""
        super().connection_made(transport)
        strangers = self.strangers[self._address]
        is_full = sum(map(len, self.strangers.values())) >= MAX_ALL_STRANGERS
        if is_full:
            strangers = max(self.strangers.values(), key=len)
        if is_full or len(strangers) >= MAX_STRANGERS:
            oldest_stranger = next((stranger for stranger in strangers if not stranger.has_request), strangers[0])
            oldest_stranger.admit()
            oldest_stranger.transport.abort()
        self.strangers[self._address].append(self)
        self._start_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the deadline, and no longer count the connection."""
        self._stop_deadline()
        self.admit()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read a part of a request. The deadline for headers ends when they are complete."""
        if not self.has_request:
            self._start_deadline()
        super().data_received(data)
        if self.has_request:
            self._stop_deadline()
            self.scope[CONNECTION_KEY] = self

    def admit(self) -> None:
        """No longer count this connection as one without a token."""
        if self in (strangers := self.strangers.get(self._address, [])):
            strangers.remove(self)
            if not strangers:
                del self.strangers[self._address]

    @property
    def _address(self) -> str:
        return str(self.client[0]) if self.client else ""

    def _start_deadline(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self.transport.abort)

    def _stop_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def admit_connection(scope: Scope) -> None:
    """No longer count the connection of `scope` as one without a token, because a token was valid."""
    if connection := scope.get(CONNECTION_KEY):
        connection.admit()


MAX_CONNECTIONS = 1000


def open_listener(host: str, port: int) -> socket.socket:
    """Open a socket that listens on this address. Port 0 is any free port.

    Raises `InputError` if the socket cannot listen.
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address, family=family, backlog=MAX_CONNECTIONS)
    except OSError as error:
        raise InputError(
            "--port",
            port,
            f"cannot listen there ({error.strerror or error}); choose another with --port; 0 takes any free port",
        ) from None


def make_server_config(app: ASGIApp, **options: Any) -> uvicorn.Config:
    """Return the configuration of a server with limits on connections and headers."""
    return uvicorn.Config(
        app,
        log_level="warning",
        server_header=False,
        access_log=False,
        http=RoomConnection,
        ws="none",
        limit_concurrency=MAX_CONNECTIONS,
        **options,
    )
