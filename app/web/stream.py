"""The events of a run as a stream that a browser reads, and comes back to where it left off."""

import asyncio
from contextlib import suppress

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from .hub import Hub, Watcher

PATIENCE, SILENCE = 10.0, 15.0
"""Seconds a reader may take for what is sent; seconds after which a word is sent to see whether it is there."""


async def gone(receive: Receive) -> None:
    """Wait until whoever asked has left."""
    while (await receive())["type"] != "http.disconnect":
        continue


class EventStream(Response):
    """Sends one watcher's events until it leaves, is cut off, or the room closes."""

    media_type = "text/event-stream"

    def __init__(self, hub: Hub, run: str, watcher: Watcher) -> None:
        super().__init__(headers={"x-accel-buffering": "no"})
        del self.headers["content-length"]
        self.hub, self.run, self.watcher = hub, run, watcher

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events; whoever is too slow is cut off, and comes back by itself."""
        sending = asyncio.create_task(self._sent(send))
        left = asyncio.create_task(gone(receive))
        try:
            await asyncio.wait({sending, left}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.hub.leave(self.run, self.watcher)
            for task in (sending, left):
                task.cancel()
                with suppress(asyncio.CancelledError, TimeoutError, OSError):
                    await task

    async def _sent(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        await self._part(send, b"retry: 1000\n\n")
        while not self.watcher.cut:
            try:
                event = await asyncio.wait_for(self.watcher.queue.get(), SILENCE)
            except TimeoutError:
                event = b": here\n\n"
            await self._part(send, event)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _part(self, send: Send, text: bytes) -> None:
        async with asyncio.timeout(PATIENCE):
            await send({"type": "http.response.body", "body": text, "more_body": True})
