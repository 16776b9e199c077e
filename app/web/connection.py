"""Connections to a room: slow and half-open ones are closed, and strangers get only some at a time."""

import asyncio
from collections import defaultdict
from typing import Any, ClassVar

from starlette.types import Scope
from uvicorn.protocols.http.auto import AutoHTTPProtocol

HEADER_SECONDS = 10.0
"""Longest time from the begin of a request to the end of its headers, in seconds."""
MAX_STRANGERS = 50
"""Largest number of connections of one address that have shown no token."""
CONNECTION_KEY = "moot.connection"
"""Key of the connection in the scope of its request."""


class RoomConnection(AutoHTTPProtocol):  # type: ignore[misc, valid-type, unused-ignore]
    """Connection with a deadline for headers.

    `strangers`: connections that have shown no token, by address, oldest first. One more closes the oldest, preferably
    one without a request, so that a flood of half-open connections keeps nobody out.
    """

    strangers: ClassVar[defaultdict[str, list["RoomConnection"]]] = defaultdict(list)
    _deadline: asyncio.TimerHandle | None = None

    @property
    def has_request(self) -> bool:
        """Return whether the headers of a request are complete, and its answer is not."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: Any) -> None:
        """Start the deadline, and make room for one more stranger."""
        super().connection_made(transport)
        strangers = self.strangers[self._address]
        if len(strangers) >= MAX_STRANGERS:
            oldest = next((stranger for stranger in strangers if not stranger.has_request), strangers[0])
            oldest.admit()
            oldest.transport.abort()
        self.strangers[self._address].append(self)
        self._start_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the deadline, and forget the connection."""
        self._stop_deadline()
        self.admit()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read a part of a request. The deadline holds until its headers are complete."""
        if not self.has_request:
            self._start_deadline()
        super().data_received(data)
        if self.has_request:
            self._stop_deadline()
            self.scope[CONNECTION_KEY] = self

    def admit(self) -> None:
        """Count this connection no longer as a stranger's."""
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
    """Count the connection of a request as that of a known caller, who has shown a valid token."""
    if connection := scope.get(CONNECTION_KEY):
        connection.admit()
