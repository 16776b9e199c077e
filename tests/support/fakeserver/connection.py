"""One connection of the model server: HTTP/1.1 parsed by httptools, answers written (or broken off) piece by piece."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Protocol

import httptools

from fakeserver.exchange import FakeFailure, Json
from fakeserver.faults import Fault
from fakeserver.http import CHUNK_END, plain, sse


@dataclass
class Call:
    """One HTTP request, undecoded."""

    method: str = ""
    path: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""


class Answering(Protocol):
    """What a connection needs of its server."""

    connections: "set[Connection]"
    keep_alive: bool

    def answer(self, call: Call, wire: "Connection") -> Coroutine[None, None, None]: ...

    def failed(self, problem: BaseException) -> Json: ...


class Connection(asyncio.Protocol):
    """Reads requests one at a time; each is answered in a task of its own, which ends with the connection."""

    def __init__(self, server: Answering) -> None:
        self.server = server
        self.began = False  # whether a byte of the present answer is out
        self._call = Call()
        self._task: asyncio.Task[None] | None = None
        self._parser = httptools.HttpRequestParser(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.server.connections.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self.server.connections.discard(self)
        if self._task:
            self._task.cancel()

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self.transport.abort()

    def on_url(self, url: bytes) -> None:
        self._call = Call(self._parser.get_method().decode(), url.decode())

    def on_header(self, name: bytes, value: bytes) -> None:
        self._call.headers[name.decode().lower()] = value.decode()

    def on_body(self, part: bytes) -> None:
        self._call.body += part

    def on_message_complete(self) -> None:
        self.began = False
        self._task = asyncio.get_running_loop().create_task(self.server.answer(self._call, self))
        self._task.add_done_callback(self._answered)

    def _answered(self, task: asyncio.Task[None]) -> None:
        problem = None if task.cancelled() else task.exception()
        if problem is not None:
            error = self.server.failed(problem)
            if self.began:
                self.transport.abort()
            else:
                self.write(plain(error, 500))
        if not (self.server.keep_alive and self._parser.should_keep_alive()):
            self.transport.close()

    def write(self, data: bytes) -> None:
        """Send bytes of the answer; the first ones hold the status line."""
        if not self.began and not self.server.keep_alive:
            data = data.replace(b"\r\n", b"\r\nconnection: close\r\n", 1)
        self.began = True
        self.transport.write(data)

    async def deliver(self, pieces: list[bytes], fault: Fault, released: asyncio.Event) -> None:
        """Write an answer whole, or as the fault has it. `pieces`: the head, then what can be told apart on the way.

        Raises FakeFailure for a fault of streams in an answer that is none.
        """
        after = min(fault.after, len(pieces) - 2) + 1
        first, text = b"".join(pieces[:after]), b"".join(pieces[after:])
        match fault.way:
            case "drop":
                self.transport.abort()
            case "cut":
                self.write(first)
                self.transport.close()
            case "end_early":
                self.write(first + self._last(pieces))
            case "stream_error":
                self.write(first + sse(fault.event.encode()) + self._last(pieces))
            case "stall":
                self.write(first)
                await released.wait()
                self.write(text)
            case "trickle":
                await self._trickle(first + text, fault.pause)
            case _:
                self.write(first + text)

    def _last(self, pieces: list[bytes]) -> bytes:
        if not pieces[-1].endswith(CHUNK_END):
            raise FakeFailure("fault_misplaced", "this fault needs a request with stream: true")
        return CHUNK_END

    async def _trickle(self, data: bytes, pause: float) -> None:
        for at in range(0, len(data), 64):
            await asyncio.sleep(pause)
            self.write(data[at : at + 64])
