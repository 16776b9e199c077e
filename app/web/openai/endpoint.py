"""OpenAI-compatible endpoint: its guard, its models, and chat completions."""

from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, TypeVar, cast

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ....models.failures import RunStoppedError
from ....prompts import TemplateError
from ....state.errors import InputError
from ...run.failure import RunInterruptedError
from ...saved import SavedRun
from ..connection import admit_connection
from ..event_stream import ByteStream, await_first_result, wait_for_disconnect
from ..room import Room
from .chat_request import (
    ChatRequest,
    ModelDefaults,
    build_chat_run_request,
    get_model_protocol,
    list_offered_models,
    parse_chat,
)
from .client_runs import RUN_LIMIT, ClientRuns
from .completions import (
    build_completion,
    build_moot_fields,
    build_usage,
    encode_chunk,
    encode_event,
    encode_plain_answer,
    format_reasoning,
    get_answer,
    make_chunk_fields,
)
from .errors import EndpointError, convert_error, respond_to_error
from .keys import Keys
from .plain_answer import ask_plain_model, is_client_task

T = TypeVar("T")

MAX_REQUEST_BYTES = 8_000_000
"""Maximum bytes of a request's body."""

CLIENT_ERRORS = (
    EndpointError,
    HTTPException,
    InputError,
    RunStoppedError,
    RunInterruptedError,
    ValidationError,
    TemplateError,
    OSError,
)
"""Exceptions that are sent to a client as one line."""


@dataclass(frozen=True)
class Clients:
    """Clients of the endpoint.

    `origins`: origins of web pages that may send requests too. `defaults`: models and language of the clients' runs.
    `run_limit`: deliberations that one key may start per minute.
    """

    keys: Keys
    defaults: ModelDefaults = field(default_factory=ModelDefaults)
    origins: frozenset[str] = frozenset()
    run_limit: int = RUN_LIMIT


class KeyGuard:
    """Middleware that requires a key, and accepts programs and allowed web pages. It ignores cookies."""

    def __init__(self, app: ASGIApp, clients: Clients) -> None:
        self.app, self.clients = app, clients

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        headers = Request(scope).headers
        origin, error = headers.get("origin"), None
        scheme, _, key = headers.get("authorization", "").partition(" ")
        digest = self.clients.keys.match_key(key.strip()) if scheme.casefold() == "bearer" else ""
        if origin is not None and origin not in self.clients.origins:
            remedy = "pages of this origin may not ask; the operator allows one by --allow-origin"
            error = EndpointError(403, str(InputError("origin", origin, remedy)), "origin_not_allowed", "origin")
        elif not digest:
            remedy = "send `Authorization: Bearer KEY` with a key of this endpoint; `moot serve` printed it"
            message = f"Incorrect API key provided. authorization = '…': {remedy}"  # some clients know these words
            error = EndpointError(401, message, "invalid_api_key", "authorization")
        else:
            admit_connection(scope)
        scope["bearer"] = digest
        await (error.make_response() if error else self.app)(scope, receive, send)


@dataclass
class Endpoint:
    """Endpoint of one room."""

    clients: Clients
    runs: ClientRuns

    async def list_models(self, request: Request) -> Response:
        """Return the models, or the named model."""
        models = [{"id": name, "object": "model", "created": 0, "owned_by": "moot"} for name in list_offered_models()]
        if name := request.path_params.get("model"):
            get_model_protocol(name)
            return JSONResponse(next(model for model in models if model["id"] == name))
        return JSONResponse({"object": "list", "data": models})

    async def complete_chat(self, request: Request) -> Response:
        """Run a deliberation and answer with its synthesis."""
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > MAX_REQUEST_BYTES:
                raise EndpointError(
                    413, f"body = {len(body):,} bytes and more: send at most {MAX_REQUEST_BYTES:,}", "too_large", "body"
                )
        chat = parse_chat(body)
        get_model_protocol(chat.model)
        if is_client_task(chat):
            self.runs.count_start(request.scope["bearer"])
            answer = await self._await_unless_left(request, ask_plain_model(chat, self.clients.defaults))
            return encode_plain_answer(chat, *answer) if answer else Response(status_code=499)
        run_request = await build_chat_run_request(chat, self.clients.defaults)
        is_retry = request.headers.get("x-stainless-retry-count", "0") != "0"
        run_context = self.runs.open_run(run_request, request.scope["bearer"], sha256(body).hexdigest(), is_retry)
        if not chat.stream:

            async def respond_with_completion() -> Response:
                async with run_context as run:
                    chunk_fields = make_chunk_fields(chat, run)
                    saved_run = [update async for update in self.runs.follow_run(run) if update][-1]
                    return JSONResponse(build_completion(chunk_fields, chat, saved_run))

            response = await self._await_unless_left(request, respond_with_completion())
            return response if isinstance(response, Response) else Response(status_code=499)
        run = await self._await_unless_left(request, run_context.__aenter__())
        if run is None:
            return Response(status_code=499)
        return ByteStream(self._stream_chunks(chat, run), lambda: run_context.__aexit__(None, None, None))

    async def _await_unless_left(self, request: Request, work: Coroutine[Any, Any, T]) -> T | None:
        """Return the result of `work`. If the client leaves first, cancel `work` and return `None`."""
        disconnect = wait_for_disconnect(request.receive)
        return cast(T | None, await await_first_result(work, disconnect, ignored_errors=CLIENT_ERRORS))

    async def _stream_chunks(self, chat: ChatRequest, run: str) -> AsyncGenerator[bytes, None]:
        """Yield a chunk for each statement, then the synthesis or an error.

        In a blind round, chunks may be out of order. The record has the right order.
        """
        chunk_fields = make_chunk_fields(chat, run)
        yield encode_chunk(chunk_fields, {"role": "assistant", "content": ""})
        sent_turns, saved_run = set[int](), cast(SavedRun | None, None)
        try:
            async with aclosing(self.runs.follow_run(run)) as updates:
                async for update in updates:
                    saved_run, statements = update or saved_run, update.state.get("history", []) if update else []
                    for statement in statements:
                        if statement.turn not in sent_turns:
                            yield encode_chunk(chunk_fields, {"reasoning_content": format_reasoning(statement)})
                    sent_turns.update(statement.turn for statement in statements)
                    if update is None:
                        yield b": it goes on\n\n"
        except CLIENT_ERRORS as error:
            yield encode_event(convert_error(error).body)
            return
        assert saved_run is not None
        yield encode_chunk(chunk_fields, {"content": get_answer(saved_run)})
        yield encode_chunk(chunk_fields, {}, "stop", moot=build_moot_fields(chat, saved_run))
        if chat.stream_options and chat.stream_options.include_usage:
            yield encode_chunk(chunk_fields, None, usage=build_usage(saved_run.state["calls"]))
        yield b"data: [DONE]\n\n"


def build_endpoint(room: Room, clients: Clients) -> Starlette:
    """Build the endpoint of a room as an application."""
    api = Endpoint(clients, ClientRuns(room, clients.run_limit))
    origins = sorted(clients.origins)
    return Starlette(
        routes=[
            Route("/models", api.list_models),
            Route("/models/{model:path}", api.list_models),
            Route("/chat/completions", api.complete_chat, methods=["POST"]),
        ],
        middleware=[
            Middleware(CORSMiddleware, allow_origins=origins, allow_methods=["GET", "POST"], allow_headers=["*"]),
            Middleware(KeyGuard, clients=clients),
        ],
        exception_handlers=dict.fromkeys(CLIENT_ERRORS, respond_to_error),
    )
