"""OpenAI-compatible endpoint: its guard, its models, chat completions and responses."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
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

from ....models import RunStoppedError
from ....prompts import TemplateError
from ....state import InputError, Statement
from ...run.failure import RunInterruptedError
from ...saved import SavedRun, load_saved_run
from .. import MAX_REQUEST_BYTES, ByteStream, admit_connection, await_first_result, wait_for_disconnect
from .chat_request import (
    ChatMessage,
    ChatRequest,
    ModelDefaults,
    build_chat_run_request,
    get_model_protocol,
    make_requested_form,
    map_offered_models,
    parse_body,
    parse_document,
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
    make_answer_fields,
    make_chunk_fields,
)
from .direct_calls import ask_plain_model, fill_requested_form, is_client_task
from .errors import EndpointError, convert_error, respond_to_error
from .keys import ApiKeys
from .responses import ID_PREFIX, ResponseRequest, build_response, make_failure, make_response_fields, stream_response

T = TypeVar("T")
Progress = AsyncGenerator[Statement | tuple[SavedRun, str | None] | EndpointError | None, None]
"""Statements of a run, `None` in a silence, and last the saved run with its answer, or an error."""

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
class ClientSettings:
    """Clients of the endpoint.

    `defaults`: models and language of the clients' runs. `origins`: origins of web pages that may send requests too.
    `run_limit`: deliberations that one key may start per minute.
    """

    keys: ApiKeys
    defaults: ModelDefaults = field(default_factory=ModelDefaults)
    origins: frozenset[str] = frozenset()
    run_limit: int = RUN_LIMIT

    @property
    def cors_middleware(self) -> Middleware:
        """Return the middleware that lets allowed web pages call an endpoint."""
        return Middleware(
            CORSMiddleware, allow_origins=sorted(self.origins), allow_methods=["GET", "POST"], allow_headers=["*"]
        )


class KeyGuard:
    """Middleware that requires a key, ignores cookies, and accepts only programs and allowed web pages."""

    def __init__(self, app: ASGIApp, clients: ClientSettings) -> None:
        self.app, self.clients = app, clients

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        headers = Request(scope).headers
        origin, error = headers.get("origin"), None
        scheme, _, key = headers.get("authorization", "").partition(" ")
        digest = self.clients.keys.find_key_digest(key.strip()) if scheme.casefold() == "bearer" else ""
        if origin is not None and origin not in self.clients.origins:
            remedy = "pages of this origin may not send questions; ask the operator to add it with --allow-origin"
            error = EndpointError(403, str(InputError("origin", origin, remedy)), "origin_not_allowed", "origin")
        elif not digest:
            remedy = "send `Authorization: Bearer KEY`; `moot serve` printed the key, and --new-api-key makes another"
            message = f"Incorrect API key provided. authorization = '…': {remedy}"  # some clients know these words
            error = EndpointError(401, message, "invalid_api_key", "authorization")
        else:
            admit_connection(scope)
        scope["bearer"] = digest
        await (error.make_response() if error else self.app)(scope, receive, send)


@dataclass
class Endpoint:
    """Handlers of the OpenAI-compatible endpoint of one room."""

    clients: ClientSettings
    runs: ClientRuns

    async def list_models(self, request: Request) -> Response:
        """Return the list of offered models, or the single model that the request names."""
        models = [{"id": name, "object": "model", "created": 0, "owned_by": "moot"} for name in map_offered_models()]
        if name := request.path_params.get("model"):
            get_model_protocol(name)
            return JSONResponse(next(model for model in models if model["id"] == name))
        return JSONResponse({"object": "list", "data": models})

    async def complete_chat(self, request: Request) -> Response:
        """Run a deliberation and answer with its synthesis.

        A single model answers a chat program's own requests (see `is_client_task`).
        """
        body = await read_body(request)
        chat = await asyncio.to_thread(lambda: parse_document(parse_body(body), ChatRequest))
        get_model_protocol(chat.model)
        if is_client_task(chat):
            self.runs.count_start(request.scope["bearer"])
            answer = await self._await_unless_left(
                request, ask_plain_model(chat, self.clients.defaults, self.runs.room.store.journal)
            )
            return encode_plain_answer(chat, *answer) if answer else Response(status_code=499)
        return await self._run_deliberation(
            request, body, chat, make_chunk_fields, build_completion, self._stream_chunks
        )

    async def create_response(self, request: Request) -> Response:
        """Run a deliberation and answer in the format of OpenAI's responses."""
        body = await read_body(request)
        wish = await asyncio.to_thread(lambda: parse_document(parse_body(body), ResponseRequest))
        earlier_messages = list[ChatMessage]()
        if wish.previous_response_id:
            saved_run = await self._load_own_run(request, wish.previous_response_id)
            earlier_messages.append(ChatMessage(role="user", content=saved_run.run.topic))
            if saved_run.has_ended:
                earlier_messages.append(
                    ChatMessage(
                        role="assistant", content=self.runs.filled_forms.get(saved_run.run.run) or get_answer(saved_run)
                    )
                )
        return await self._run_deliberation(
            request, body, wish.make_chat(earlier_messages), make_response_fields, build_response, stream_response
        )

    async def retrieve_response(self, request: Request) -> Response:
        """Return the response of a saved run, and stop the run first if the client cancels it."""
        saved_run = await self._load_own_run(request, request.path_params["response"])
        run = saved_run.run
        is_running = await self.runs.is_in_progress(saved_run)
        is_stopped = is_running and request.method == "POST" and self.runs.stop_run(run.run)
        chat = ChatRequest(model=f"moot/{run.protocol}", messages=[ChatMessage(role="user", content=run.topic)])
        head = make_response_fields(chat, run.run)
        if is_running or not (saved_run.has_ended or run.fault):
            return JSONResponse(head | {"status": "in_progress" if is_running and not is_stopped else "cancelled"})
        try:
            self.runs.check_completed(saved_run)
        except EndpointError as error:
            return JSONResponse(head | make_failure(error))
        return JSONResponse(
            build_response(head, chat, saved_run, self.runs.filled_forms.get(run.run, get_answer(saved_run)))
        )

    async def _load_own_run(self, request: Request, response_id: str) -> SavedRun:
        """Load the run of a response that this client's key started. Raises `EndpointError`."""
        run = response_id.removeprefix(ID_PREFIX)
        self.runs.check_owner(request.scope["bearer"], run)
        return await load_saved_run(self.runs.room.store, run)

    async def _run_deliberation(
        self,
        request: Request,
        body: bytes,
        chat: ChatRequest,
        make_head: Callable[[ChatRequest, str], dict[str, Any]],
        build_body: Callable[[dict[str, Any], ChatRequest, SavedRun, str | None], dict[str, Any]],
        stream_body: Callable[[dict[str, Any], ChatRequest, str, Progress], AsyncGenerator[bytes, None]],
    ) -> Response:
        """Run a deliberation and answer in one of the two formats, complete or as a stream.

        `make_head`, `build_body`, `stream_body`: functions of the format, for the first fields, the complete answer and
        the stream.
        """
        run_request = await build_chat_run_request(chat, self.clients.defaults)
        models = sorted(run_request.models)
        is_retry = request.headers.get("x-stainless-retry-count", "0") != "0"
        run_context = self.runs.open_run(run_request, request.scope["bearer"], sha256(body).hexdigest(), is_retry)
        if not chat.stream:

            async def send_complete_answer() -> Response:
                async with run_context as run:
                    head = make_head(chat, run)
                    saved_run = [update async for update in self.runs.follow_run(run) if update][-1]
                    return JSONResponse(build_body(head, chat, *await self._build_answer(chat, saved_run, models)))

            response = await self._await_unless_left(request, send_complete_answer())
            return response if isinstance(response, Response) else Response(status_code=499)
        run = await self._await_unless_left(request, run_context.__aenter__())
        if run is None:
            return Response(status_code=499)
        stream = stream_body(make_head(chat, run), chat, run, self._follow_statements(chat, run, models))
        return ByteStream(stream, lambda: run_context.__aexit__(None, None, None))

    async def _build_answer(
        self, chat: ChatRequest, saved_run: SavedRun, models: list[str]
    ) -> tuple[SavedRun, str | None]:
        """Return a run that has ended, and its answer in the requested format.

        `models`: models that the operator offers. The answer is `None` if the requested form stayed empty.
        """
        form = await asyncio.to_thread(make_requested_form, chat.response_format)
        if form is None:
            return saved_run, get_answer(saved_run)
        await fill_requested_form(self.runs, saved_run, form, models)
        filled_run = await load_saved_run(self.runs.room.store, saved_run.run.run)
        return filled_run, self.runs.filled_forms[filled_run.run.run]

    async def _await_unless_left(self, request: Request, work: Coroutine[Any, Any, T]) -> T | None:
        """Return the result of `work`. If the client leaves first, cancel `work` and return `None`."""
        return cast(
            T | None, await await_first_result(work, wait_for_disconnect(request.receive), ignored_errors=CLIENT_ERRORS)
        )

    async def _follow_statements(self, chat: ChatRequest, run: str, models: list[str]) -> Progress:
        """Yield each statement of a run, `None` after a silence, and last the saved run or an error.

        The saved run comes with its answer.

        In a blind round, statements may be out of order. The saved run has the right order.
        """
        sent_turns, saved_run = set[int](), cast(SavedRun | None, None)
        try:
            async with aclosing(self.runs.follow_run(run)) as updates:
                async for update in updates:
                    saved_run, statements = update or saved_run, update.state.get("history", []) if update else []
                    for statement in statements:
                        if statement.turn not in sent_turns:
                            yield statement
                    sent_turns.update(statement.turn for statement in statements)
                    if update is None:
                        yield None
            assert saved_run is not None
            yield await self._build_answer(chat, saved_run, models)
        except CLIENT_ERRORS as error:
            yield convert_error(error)

    async def _stream_chunks(
        self, head: dict[str, Any], chat: ChatRequest, run: str, progress: Progress
    ) -> AsyncGenerator[bytes, None]:
        """Yield a chunk for each statement, then the answer or an error."""
        yield encode_chunk(head, {"role": "assistant", "content": ""})
        async with aclosing(progress):
            async for news in progress:
                if news is None:
                    yield b": it goes on\n\n"
                elif isinstance(news, Statement):
                    yield encode_chunk(head, {"reasoning_content": format_reasoning(news)})
                elif isinstance(news, EndpointError):
                    yield encode_event(news.body)
                else:
                    saved_run, answer = news
                    yield encode_chunk(head, make_answer_fields(run, answer))
                    yield encode_chunk(head, {}, "stop", moot=build_moot_fields(chat, saved_run))
                    if chat.stream_options and chat.stream_options.include_usage:
                        yield encode_chunk(head, None, usage=build_usage(saved_run.state["calls"]))
                    yield b"data: [DONE]\n\n"


async def read_body(request: Request) -> bytes:
    """Read the body of a request. Raises `EndpointError` if it is too large."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_REQUEST_BYTES:
            raise EndpointError(
                413, f"body = {len(body):,} bytes or more: send at most {MAX_REQUEST_BYTES:,}", "too_large", "body"
            )
    return body


def build_endpoint(runs: ClientRuns, clients: ClientSettings) -> Starlette:
    """Build the OpenAI-compatible endpoint as a Starlette application."""
    api = Endpoint(clients, runs)
    return Starlette(
        routes=[
            Route("/models", api.list_models),
            Route("/models/{model:path}", api.list_models),
            Route("/chat/completions", api.complete_chat, methods=["POST"]),
            Route("/responses", api.create_response, methods=["POST"]),
            Route("/responses/{response}", api.retrieve_response),
            Route("/responses/{response}/cancel", api.retrieve_response, methods=["POST"]),
        ],
        middleware=[
            clients.cors_middleware,
            Middleware(KeyGuard, clients=clients),
        ],
        exception_handlers=dict.fromkeys(CLIENT_ERRORS, respond_to_error),
    )
