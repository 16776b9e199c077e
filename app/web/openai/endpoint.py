"""The endpoint: who may ask, `/v1/models`, and `/v1/chat/completions` whole or as a stream."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, cast

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ....nodes.models.failures import Stopped
from ....prompts import TemplateFault
from ....state.refused import Refused
from ...failure import Interrupted
from ...saved import Saved
from ..room import Room
from ..stream import gone
from .answers import Naming, closing, naming, part, reasoned, sent, spent, told, whole
from .asked import Asked, Seating, offered, protocol_of, read, requested
from .course import Courses, Sender
from .errors import Fault, fault_of
from .errors import told as told_error
from .keys import Keys

LARGE = 1_000_000
"""Bytes of a request."""

KNOWN = (Fault, HTTPException, Refused, Stopped, Interrupted, ValidationError, TemplateFault, OSError)
"""What is told a client in one line."""


@dataclass(frozen=True)
class Clients:
    """Whom the endpoint answers. `origins`: of web pages that may ask as well; `seating`: who is asked."""

    keys: Keys
    seating: Seating = field(default_factory=Seating)
    origins: frozenset[str] = frozenset()


class Guard:
    """Passes on requests with a key, of no web page or of one that is allowed. Cookies mean nothing here."""

    def __init__(self, app: ASGIApp, clients: Clients) -> None:
        self.app, self.clients = app, clients

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer what is wrong with it."""
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        try:
            scope["bearer"] = self._bearer(Request(scope))
        except Fault as fault:
            return await fault.response()(scope, receive, send)
        await self.app(scope, receive, send)

    def _bearer(self, request: Request) -> str:
        origin = request.headers.get("origin")
        if origin is not None and origin not in self.clients.origins:
            remedy = "pages of this origin may not ask; the operator allows one by --allow-origin"
            raise Fault(403, str(Refused("origin", origin, remedy)), "origin_not_allowed", "origin")
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        found = self.clients.keys.opened_by(given.strip()) if scheme.casefold() == "bearer" else ""
        if not found:
            remedy = "send `Authorization: Bearer KEY` with a key of this endpoint; `moot serve` printed it"
            said = f"Incorrect API key provided. authorization = '…': {remedy}"  # some clients know it by these words
            raise Fault(401, said, "invalid_api_key", "authorization")
        return found


@dataclass
class Endpoint:
    """The endpoint of one room."""

    clients: Clients
    courses: Courses

    async def models(self, request: Request) -> Response:
        """The models there are, or the one that is named."""
        found = [{"id": name, "object": "model", "created": 0, "owned_by": "moot"} for name in offered()]
        if name := request.path_params.get("model"):
            protocol_of(name)
            return JSONResponse(next(one for one in found if one["id"] == name))
        return JSONResponse({"object": "list", "data": found})

    async def complete(self, request: Request) -> Response:
        """Hold a deliberation, and answer with it."""
        body = await _body(request)
        asked = read(body)
        made = await requested(asked, self.clients.seating)
        again = request.headers.get("x-stainless-retry-count", "0") != "0"
        within = self.courses.begun(made, Sender(request.scope["bearer"], sha256(body).hexdigest(), again))
        if not asked.stream:
            return await _unless_left(request, self._whole(asked, within))
        run = await within.__aenter__()
        return Stream(self._parts(naming(asked, run), run), lambda: within.__aexit__(None, None, None))

    async def _whole(self, asked: Asked, within: Any) -> Response:
        async with within as run:
            name = naming(asked, run)
            last = [one async for one in self.courses.course(run) if one][-1]
            return JSONResponse(whole(name, last))

    async def _parts(self, name: Naming, run: str) -> AsyncGenerator[bytes, None]:
        """A statement at a time, then the closing text; a fault as OpenAI's streams tell one.

        In a round that is held unheard the later turn may come first, and the record is put in order afterwards.
        """
        yield part(name, {"role": "assistant", "content": ""})
        heard, saved = set[int](), cast(Saved | None, None)
        try:
            async with aclosing(self.courses.course(run)) as course:
                async for now in course:
                    saved, said = now or saved, now.state.get("history", []) if now else []
                    for one in said:
                        if one.turn not in heard:
                            yield part(name, {"reasoning_content": reasoned(one)})
                    heard.update(one.turn for one in said)
                    if now is None:
                        yield b": it goes on\n\n"
        except KNOWN as error:
            yield sent(fault_of(error).body)
            return
        assert saved is not None
        yield part(name, {"content": closing(saved)})
        yield part(name, {}, "stop", moot=told(name, saved))
        if name.asked.stream_options and name.asked.stream_options.include_usage:
            yield spent(name, saved)
        yield b"data: [DONE]\n\n"


class Stream(Response):
    """Sends parts until there are no more, or the client leaves; `after` is done in either case."""

    media_type = "text/event-stream"

    def __init__(self, parts: AsyncGenerator[bytes, None], after: Callable[[], Awaitable[Any]]) -> None:
        super().__init__(headers={"x-accel-buffering": "no"})
        del self.headers["content-length"]
        self.parts, self.after = parts, after

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the parts."""
        try:
            await _first(self._sent(send), gone(receive))
        finally:
            await self.after()

    async def _sent(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        async with aclosing(self.parts) as parts:
            async for one in parts:
                await send({"type": "http.response.body", "body": one, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _unless_left(request: Request, answer: Any) -> Response:
    """The answer, unless the client leaves before it is there; then it is made for nobody."""
    found = await _first(answer, gone(request.receive))
    return found if isinstance(found, Response) else Response(status_code=499)


async def _first(*doing: Any) -> Any:
    """What the first of these gives; the others are ended."""
    tasks = [asyncio.ensure_future(one) for one in doing]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(task for task in tasks if task in done).result()
    finally:
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError, *KNOWN):
                await task


async def _body(request: Request) -> bytes:
    """The body. Raises `Fault` for one that is too long, which is not read to its end."""
    found = b""
    async for piece in request.stream():
        found += piece
        if len(found) > LARGE:
            raise Fault(413, f"body = {len(found):,} bytes and more: send at most {LARGE:,}", "too_large", "body")
    return found


def endpoint(room: Room, clients: Clients) -> Starlette:
    """The endpoint of a room as an application."""
    one = Endpoint(clients, Courses(room))
    origins = sorted(clients.origins)
    return Starlette(
        routes=[
            Route("/models", one.models),
            Route("/models/{model:path}", one.models),
            Route("/chat/completions", one.complete, methods=["POST"]),
        ],
        middleware=[
            Middleware(CORSMiddleware, allow_origins=origins, allow_methods=["GET", "POST"], allow_headers=["*"]),
            Middleware(Guard, clients=clients),
        ],
        exception_handlers=dict.fromkeys(KNOWN, told_error),
    )
