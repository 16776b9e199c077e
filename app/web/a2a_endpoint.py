"""A2A endpoint (Agent2Agent protocol): each deliberation protocol is an agent at `/a2a/NAME`.

The keys, limits and policy are those of the OpenAI-compatible endpoint.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager, suppress
from importlib.metadata import version
from json import JSONDecodeError
from typing import Any
from uuid import uuid4

from a2a.helpers import get_message_text
from a2a.server.context import ServerCallContext
from a2a.server.events.event_queue import Event
from a2a.server.request_handlers.request_handler import RequestHandler, validate_request_params
from a2a.server.request_handlers.response_helpers import agent_card_to_dict
from a2a.server.routes import create_jsonrpc_routes, jsonrpc_dispatcher
from a2a.server.routes.common import DefaultServerCallContextBuilder
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    CancelTaskRequest,
    GetTaskRequest,
    HTTPAuthSecurityScheme,
    ListTasksRequest,
    ListTasksResponse,
    SecurityRequirement,
    SecurityScheme,
    SendMessageRequest,
    StringList,
    SubscribeToTaskRequest,
    Task,
    TaskArtifactUpdateEvent,
    TaskState,
    TaskStatusUpdateEvent,
)
from a2a.utils.constants import AGENT_CARD_WELL_KNOWN_PATH, PROTOCOL_VERSION_CURRENT, TransportProtocol
from a2a.utils.errors import (
    ContentTypeNotSupportedError,
    InternalError,
    InvalidParamsError,
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)
from a2a.utils.task import apply_history_length
from google.protobuf.json_format import MessageToDict
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from ...state import InputError
from ..saved import Run, SavedRun, load_saved_run, load_state
from .a2a_tasks import (
    CANCELED,
    find_person_question,
    list_shown_statements,
    make_statement_event,
    make_task,
    make_unreadable_task,
    parse_answer,
)
from .openai import (
    CLIENT_ERRORS,
    ChatRequest,
    ClientRuns,
    ClientSettings,
    KeyGuard,
    build_chat_run_request,
    convert_error,
    get_model_protocol,
    parse_document,
    respond_to_error,
)
from .seat.answers import submit_answer

STOP_POLL, STANDSTILL_POLL = 0.05, 1.0
"""Seconds between two checks of a canceled run, and of a run that stands still."""
LAST_STATES = (
    TaskState.TASK_STATE_COMPLETED,
    TaskState.TASK_STATE_FAILED,
    TaskState.TASK_STATE_CANCELED,
)
"""States in which a task is over."""


class RequestContextBuilder(DefaultServerCallContextBuilder):
    """Builder of a request's context, with the digest of the client's key and the requested agent."""

    def build(self, request: Request) -> ServerCallContext:
        """Build the context of a request."""
        context = super().build(request)
        context.state.update(bearer=request.scope["bearer"], protocol=request.path_params["protocol"])
        return context


@contextmanager
def convert_errors() -> Iterator[None]:
    """Convert exceptions within the `with` block into the A2A errors that a client receives."""
    try:
        yield
    except CLIENT_ERRORS as error:
        endpoint_error = convert_error(error)
        error_class = InvalidParamsError if endpoint_error.status < 429 else InternalError
        raise error_class(str(endpoint_error)) from None


def is_own_run(run: Run, context: ServerCallContext) -> bool:
    """Return whether this client's key started the run, with the requested protocol."""
    return (run.client, run.protocol) == (context.state["bearer"], context.state["protocol"])


class RunTasks(RequestHandler):
    """Handler of A2A requests. Its tasks are the saved runs that the client's key started.

    Runs continue without listeners.
    """

    def __init__(self, runs: ClientRuns, clients: ClientSettings) -> None:
        self.runs, self.clients, self.room = runs, clients, runs.room

    @validate_request_params
    async def on_message_send(self, params: SendMessageRequest, context: ServerCallContext) -> Task:
        """Start a task with a message, or answer a task's question, and return the task.

        Wait for the task's next stop, unless the client asks for an answer at once.
        """
        with convert_errors():
            run = await self._accept_message(params, context)
            if not params.configuration.return_immediately:
                async for _ in self._stream_task(run):
                    pass
            return apply_history_length(await self._load_task(run), params.configuration)

    @validate_request_params
    async def on_message_send_stream(
        self, params: SendMessageRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event, None]:
        """Start a task with a message, or answer a task's question, and yield the task and its events."""
        with convert_errors():
            async with aclosing(self._stream_task(await self._accept_message(params, context))) as events:
                async for event in events:
                    yield event

    @validate_request_params
    async def on_subscribe_to_task(
        self, params: SubscribeToTaskRequest, context: ServerCallContext
    ) -> AsyncGenerator[Event, None]:
        """Yield a task and its later events.

        Raises `UnsupportedOperationError` for a task that has ended.
        """
        with convert_errors():
            if await self._is_over(params.id, context):
                raise UnsupportedOperationError(f"task {params.id} has ended; call tasks/get for its result")
            async with aclosing(self._stream_task(params.id)) as events:
                async for event in events:
                    yield event

    @validate_request_params
    async def on_get_task(self, params: GetTaskRequest, context: ServerCallContext) -> Task:
        """Return the task with the requested id. Raises `TaskNotFoundError`."""
        return apply_history_length(await self._make_task(await self._load_own_run(params.id, context)), params)

    @validate_request_params
    async def on_list_tasks(self, params: ListTasksRequest, context: ServerCallContext) -> ListTasksResponse:
        """Return the tasks of the client's key and protocol, newest first."""
        tasks = InMemoryTaskStore(lambda _: "", use_copying=False)  # it filters, sorts and counts pages
        for run in await self.room.store.runs.list_runs():
            if is_own_run(run, context) and params.context_id in ("", run.context):
                try:
                    task = await self._make_task(await load_state(self.room.store, run))
                except InputError as error:  # its package is missing, or another version of Moot saved it
                    task = make_unreadable_task(run, str(error))
                await tasks.save(task, context)
        page = await tasks.list(params, context)
        for task in page.tasks:
            task.CopyFrom(apply_history_length(task, params))
        return page

    @validate_request_params
    async def on_cancel_task(self, params: CancelTaskRequest, context: ServerCallContext) -> Task:
        """Stop the run of a task after its current calls. The operator can still resume it.

        Raises `TaskNotCancelableError` if the task has ended or another process executes it.
        """
        if await self._is_over(params.id, context):
            raise TaskNotCancelableError(f"task {params.id} has ended")
        self.runs.stop_run(params.id)
        while self.room.driver.is_driving(params.id):
            await asyncio.sleep(STOP_POLL)
        saved_run = await load_saved_run(self.room.store, params.id)
        if await self._is_active(saved_run):
            raise TaskNotCancelableError(f"another process executes {params.id}; its operator can stop it there")
        if not saved_run.has_ended:
            await self.room.store.runs.save_run(saved_run.run.model_copy(update={"fault": CANCELED, "due_at": ""}))
        return await self._load_task(params.id)

    async def _refuse_request(self, params: Any, context: ServerCallContext) -> Any:
        raise UnsupportedOperationError("this agent has no push notifications and no extended card")

    on_create_task_push_notification_config = _refuse_request
    on_get_task_push_notification_config = _refuse_request
    on_list_task_push_notification_configs = _refuse_request
    on_delete_task_push_notification_config = _refuse_request
    on_get_extended_agent_card = _refuse_request

    async def _accept_message(self, params: SendMessageRequest, context: ServerCallContext) -> str:
        """Start a run with a message, or answer an open question of the run that it names.

        Return the name of the run.
        """
        message, bearer = params.message, context.state["bearer"]
        if any(part.HasField("raw") or part.HasField("url") for part in message.parts):
            raise ContentTypeNotSupportedError("send a text; this agent reads no files and no addresses of files")
        if message.task_id:
            if not (question := find_person_question(await self._load_own_run(message.task_id, context))):
                raise UnsupportedOperationError(f"task {message.task_id} waits for no answer now")
            answer = parse_answer(message, question["schema"])
            await submit_answer(self.room, message.task_id, question["id"], question["who"], answer)
            return message.task_id
        document = {
            "model": f"moot/{context.state['protocol']}",
            "messages": [{"role": "user", "content": get_message_text(message)}],
            "moot": (MessageToDict(params.metadata) | MessageToDict(message.metadata)).get("moot", {}),
        }
        request = await build_chat_run_request(
            parse_document(document, ChatRequest), self.clients.defaults, seats_people=True
        )
        self.runs.count_start(bearer)
        return await self.room.driver.start_run(
            request, sorted(request.models), client=bearer, context=message.context_id or str(uuid4())
        )

    async def _stream_task(self, run: str) -> AsyncGenerator[Event, None]:
        """Yield the task, a status event for each new statement, and last the artifact and the final status."""
        saved_run = await load_saved_run(self.room.store, run)
        yield (task := await self._make_task(saved_run))
        if task.status.state in LAST_STATES:
            return
        sent_turns = {statement.turn for statement in list_shown_statements(saved_run)}
        while True:
            with suppress(*CLIENT_ERRORS):  # its task says why it stands still
                async with aclosing(self.runs.follow_run(run)) as updates:
                    async for update in updates:
                        for statement in list_shown_statements(update) if update else ():
                            if update and statement.turn not in sent_turns:
                                sent_turns.add(statement.turn)
                                yield make_statement_event(update, statement)
            task = await self._load_task(run)
            if task.status.state != TaskState.TASK_STATE_WORKING or self.room.hub.is_closed:
                break
            await asyncio.sleep(STANDSTILL_POLL)
        ids: Any = {"task_id": run, "context_id": task.context_id}
        for artifact in task.artifacts:
            yield TaskArtifactUpdateEvent(artifact=artifact, last_chunk=True, **ids)
        yield TaskStatusUpdateEvent(status=task.status, **ids)

    async def _load_own_run(self, name: str, context: ServerCallContext) -> SavedRun:
        """Load the run of the task `name`, which this client's key started. Raises `TaskNotFoundError`."""
        with suppress(InputError):
            saved_run = await load_saved_run(self.room.store, name)
            if is_own_run(saved_run.run, context):
                return saved_run
        raise TaskNotFoundError(f"you have no task {name} here")

    async def _is_over(self, name: str, context: ServerCallContext) -> bool:
        return (await self._make_task(await self._load_own_run(name, context))).status.state in LAST_STATES

    async def _load_task(self, run: str) -> Task:
        return await self._make_task(await load_saved_run(self.room.store, run))

    async def _make_task(self, saved_run: SavedRun) -> Task:
        return make_task(saved_run, await self._is_active(saved_run))

    async def _is_active(self, saved_run: SavedRun) -> bool:
        """Return whether a process executes a run or will do so, as after its process died."""
        run, driver = saved_run.run.run, self.room.driver
        return (
            saved_run.run.is_driven
            or driver.is_driving(run)
            or await self.room.store.is_held(run)
            or await driver.is_queued(run)
        )


async def render_card(request: Request) -> Response:
    """Return the agent card of a protocol, which is public. The card says that clients need a key."""
    protocol = get_model_protocol(f"moot/{request.path_params['protocol']}")
    return JSONResponse(
        agent_card_to_dict(
            AgentCard(
                name=f"moot/{protocol.name}",
                description=protocol.line,
                version=version("moot"),
                supported_interfaces=[
                    AgentInterface(
                        url=str(request.url.replace(query="")).removesuffix(AGENT_CARD_WELL_KNOWN_PATH),
                        protocol_binding=TransportProtocol.JSONRPC,
                        protocol_version=PROTOCOL_VERSION_CURRENT,
                    )
                ],
                capabilities=AgentCapabilities(streaming=True),
                security_schemes={
                    "key": SecurityScheme(http_auth_security_scheme=HTTPAuthSecurityScheme(scheme="bearer"))
                },
                security_requirements=[SecurityRequirement(schemes={"key": StringList()})],
                default_input_modes=["text/plain"],
                default_output_modes=["text/plain", "application/json"],
                skills=[
                    AgentSkill(id=protocol.name, name=protocol.name, description=protocol.line, tags=["deliberation"])
                ],
            )
        )
    )


def is_server_fault(record: logging.LogRecord) -> bool:
    """Return whether a log record of the A2A library reports more than a malformed request."""
    error = record.exc_info and record.exc_info[1]
    return not (record.msg.startswith("Failed to ") or isinstance(error, JSONDecodeError | RecursionError))


def build_a2a_endpoint(runs: ClientRuns, clients: ClientSettings) -> Starlette:
    """Build the A2A endpoint as a Starlette application."""
    logging.getLogger("a2a").setLevel(logging.ERROR)  # it warns of every refused request
    logging.getLogger(jsonrpc_dispatcher.__name__).addFilter(is_server_fault)
    return Starlette(
        routes=[
            Route(f"/{{protocol}}{AGENT_CARD_WELL_KNOWN_PATH}", render_card),
            Mount(
                "/",
                routes=create_jsonrpc_routes(RunTasks(runs, clients), "/{protocol}", RequestContextBuilder()),
                middleware=[Middleware(KeyGuard, clients=clients)],
            ),
        ],
        middleware=[clients.cors_middleware],
        exception_handlers=dict.fromkeys(CLIENT_ERRORS, respond_to_error),
    )
