"""Stream of a run's events to a browser, which reconnects after the last event that it saw."""

import asyncio
from contextlib import suppress

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from .run_subscribers import Hub, Subscriber

SEND_TIMEOUT, KEEPALIVE_INTERVAL = 10.0, 15.0
"""Seconds that a reader has to take an event, and seconds of silence before a sign of life is sent."""


async def wait_for_disconnect(receive: Receive) -> None:
    """Wait until the client has left."""
    while (await receive())["type"] != "http.disconnect":
        continue


class EventStream(Response):
    """Response that sends the events of one subscriber.

    It ends when the subscriber leaves or is dropped, or when the room closes.
    """

    media_type = "text/event-stream"

    def __init__(self, hub: Hub, run: str, subscriber: Subscriber) -> None:
        super().__init__(headers={"x-accel-buffering": "no"})
        del self.headers["content-length"]
        self.hub, self.run, self.subscriber = hub, run, subscriber

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        send_task = asyncio.create_task(self._send_events(send))
        disconnect_task = asyncio.create_task(wait_for_disconnect(receive))
        try:
            await asyncio.wait({send_task, disconnect_task}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.hub.remove_subscriber(self.run, self.subscriber)
            for task in (send_task, disconnect_task):
                task.cancel()
                with suppress(asyncio.CancelledError, TimeoutError, OSError):
                    await task

    async def _send_events(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        await self._send_part(send, b"retry: 1000\n\n")
        while not self.subscriber.is_dropped:
            try:
                event = await asyncio.wait_for(self.subscriber.queue.get(), KEEPALIVE_INTERVAL)
            except TimeoutError:
                event = b": here\n\n"
            await self._send_part(send, event)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_part(self, send: Send, part: bytes) -> None:
        async with asyncio.timeout(SEND_TIMEOUT):
            await send({"type": "http.response.body", "body": part, "more_body": True})
