"""Event streams to a browser or a client. A browser reconnects after the last event it received."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ..run import end_task
from .run_subscribers import Subscriber, SubscriberHub

SEND_TIMEOUT, KEEPALIVE_INTERVAL = 10.0, 15.0
"""Maximum seconds for a reader to receive an event, and seconds of silence before a keep-alive comment is sent."""


async def wait_for_disconnect(receive: Receive) -> None:
    """Wait until the client has left."""
    while (await receive())["type"] != "http.disconnect":
        continue


async def await_first_result(*awaitables: Any, ignored_errors: tuple[type[Exception], ...] = ()) -> Any:
    """Return the result of the first awaitable that finishes, and cancel all others.

    `ignored_errors`: errors of the cancelled awaitables that are not raised.
    """
    tasks = [asyncio.ensure_future(awaitable) for awaitable in awaitables]
    try:
        done_tasks, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(task for task in tasks if task in done_tasks).result()
    finally:
        for task in tasks:
            error = await end_task(task)
            if error and not isinstance(error, ignored_errors):
                raise error


class ByteStream(Response):
    """HTTP response that sends `parts` until their end or until the client leaves, then calls `cleanup`.

    `send_timeout`: seconds in which a reader must receive a part, or the stream ends; `None` for no limit.
    `ending_errors`: additional errors that end the stream.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        parts: AsyncGenerator[bytes, None],
        cleanup: Callable[[], Awaitable[Any]],
        send_timeout: float | None = None,
        ending_errors: tuple[type[Exception], ...] = (),
    ) -> None:
        super().__init__(headers={"x-accel-buffering": "no"})
        del self.headers["content-length"]
        self.parts, self.cleanup, self.send_timeout = parts, cleanup, send_timeout
        self.errors: tuple[type[Exception], ...] = (TimeoutError, OSError, *ending_errors)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:

        async def send_parts() -> None:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            async with aclosing(self.parts) as parts:
                async for part in parts:
                    async with asyncio.timeout(self.send_timeout):
                        await send({"type": "http.response.body", "body": part, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})

        try:
            with suppress(*self.errors):
                await await_first_result(send_parts(), wait_for_disconnect(receive), ignored_errors=self.errors)
        finally:
            await self.cleanup()


async def read_events(subscriber: Subscriber) -> AsyncGenerator[bytes, None]:
    """Yield a subscriber's events as bytes, with keep-alive comments, until the hub drops the subscriber."""
    yield b"retry: 1000\n\n"
    while not subscriber.is_dropped:
        try:
            async with asyncio.timeout(KEEPALIVE_INTERVAL):
                event = await subscriber.queue.get()
            yield event
        except TimeoutError:
            yield b": here\n\n"


def stream_to_subscriber(
    hub: SubscriberHub, run: str, subscriber: Subscriber, parts: AsyncGenerator[bytes, None]
) -> ByteStream:
    """Return the response that streams `parts` to a subscriber of a run.

    When it ends, the subscriber is removed from the hub.
    """

    async def remove_subscriber() -> None:
        hub.remove_subscriber(run, subscriber)

    return ByteStream(parts, remove_subscriber, SEND_TIMEOUT, hub.store.connection_errors)
