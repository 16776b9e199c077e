"""An OpenAI-compatible model server for tests and benchmarks, on this machine only.

    with FakeServer(reply=script(["Yes.", Fault.status(429, retry_after=0.1)])) as server:
        ChatOpenAI(base_url=server.url, api_key="none", model="any").invoke("Well?")

Its replies follow from the prompt alone unless told otherwise. `python tests/fakeserver.py --port 0 --latency 0.05`
runs it as a process of its own and prints the base URL; there GET /stats and POST /reset (beside /v1) count and forget.
"""

import argparse
import asyncio
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import TracebackType
from typing import Self

from fakeecho import echo_by_hash, echoing
from fakefault import Fault
from fakegate import Gate
from fakereply import FakeFailure, Reply, Request
from fakeroutes import Routes
from fakescript import Answer, Replying, script, short_window
from fakeusage import tokens
from fakewire import Connection

__all__ = [
    "Answer",
    "FakeFailure",
    "FakeServer",
    "Fault",
    "Reply",
    "Replying",
    "Request",
    "apart",
    "echo_by_hash",
    "echoing",
    "script",
    "short_window",
    "tokens",
]


class FakeServer(Routes):
    """The server on a thread of its own, for as long as the `with` block; its knobs are those of `Routes`.

    Leaving the block raises AssertionError if `errors` is not empty: a script that ran out, a gate that waited in vain,
    a reply function that failed. A test that provokes one clears the list. After the block the port is closed.
    """

    def __enter__(self) -> Self:
        self._socket = socket.create_server(("127.0.0.1", self.port), backlog=1024)
        self.port = self._socket.getsockname()[1]
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
    command = [sys.executable, __file__, *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def main() -> None:
    """Serve until interrupted or terminated."""
    options = argparse.ArgumentParser(description="An OpenAI-compatible model server that needs no model.")
    options.add_argument("--port", type=int, default=0, help="0: any that is free")
    options.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    options.add_argument("--words", type=int, default=60, help="words of a reply")
    given = options.parse_args()
    done = threading.Event()
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda *_: done.set())
    reply = partial(echo_by_hash, words=given.words)
    with FakeServer(reply=reply, latency=given.latency, port=given.port, keep=False, keep_alive=True) as server:
        print(server.url, flush=True)
        done.wait()


if __name__ == "__main__":
    main()
