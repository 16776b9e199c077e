"""The server on a thread of its own, and as a process of its own."""

import asyncio
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from places import SUPPORT
from ports import free_port

from fakeserver.connection import Connection
from fakeserver.gate import Gate
from fakeserver.routes import Routes


class FakeServer(Routes):
    """The server on a thread of its own, for as long as the `with` block; its knobs are those of `Routes`.

    Leaving the block raises AssertionError if `errors` is not empty: a script that ran out, a gate that waited in vain,
    a reply function that failed. A test that provokes one clears the list. After the block the port is closed.
    """

    def __enter__(self) -> Self:
        self.port = self.port or free_port()
        self._socket = socket.create_server(("127.0.0.1", self.port), backlog=1024)
        self._stop = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="fake server", daemon=True)
        self._listening = threading.Event()
        self._thread.start()
        self._listening.wait()
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        if kind is None and self.errors:
            raise AssertionError(f"the model server met errors that no model makes: {self.errors}")

    @property
    def url(self) -> str:
        """The base URL for a client, with /v1."""
        return f"http://127.0.0.1:{self.port}/v1"

    def shut(self) -> None:
        """Refuse connections from now on; those that stand go on."""
        self._loop.call_soon_threadsafe(self._server.close)

    def reopen(self) -> None:
        """Take connections again, on the same port."""
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()

    def hold(self) -> None:
        """Answer nothing from now on; requests are still taken in."""
        self._open.clear()

    def release(self) -> None:
        """Answer everything held, hanging or stalled until now, and what comes after."""
        self._loop.call_soon_threadsafe(self._release)

    def gate_at(self, size: int) -> None:
        """Put up a new gate for the requests to come: none of them is answered until `size` have arrived."""
        self._gate = Gate(size, self.deadline)

    def _release(self) -> None:
        self._open.set()
        self._released.set()
        self._released = asyncio.Event()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._server = await self._loop.create_server(lambda: Connection(self), sock=self._socket)
        self._listening.set()
        await self._stop.wait()
        self._server.close()
        for wire in list(self.connections):
            wire.transport.abort()
        while self.connections:  # one turn of the loop: each aborted transport tells its connection
            await asyncio.sleep(0)
        await self._server.wait_closed()

    async def _listen(self) -> None:
        if not self._server.is_serving():
            self._server = await self._loop.create_server(lambda: Connection(self), "127.0.0.1", self.port)


@contextmanager
def apart(*options: str) -> Iterator[str]:
    """The server as a process of its own, with command line options; gives the base URL."""
    command = [sys.executable, "-m", __package__, *options]
    with subprocess.Popen(command, cwd=SUPPORT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
