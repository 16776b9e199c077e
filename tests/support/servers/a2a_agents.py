"""Agents that speak A2A: one for each way in which a task may end, each at its own path of one port.

Each line of the file in NOTES says what happened, and at which agent: `task`, `list`, `entered` (after a login),
`cancel` or `elsewhere`.
"""

import asyncio
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import uvicorn
from a2a.helpers import new_task_from_user_message, new_text_message, new_text_part
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.request_handlers.default_request_handler_v2 import DefaultRequestHandlerV2
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, ListTasksRequest, ListTasksResponse
from ports import free_port
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route

NOTES, GATE = Path(os.environ.get("NOTES", "notes")), Path(os.environ.get("GATE", "gate"))
SAID = "I looked it up: trams run in Ghent."
KEY = "key-of-the-agent-0123456789"
AGENTS = (
    "artifact",
    "unfiltered",
    "legacy",
    "status",
    "message",
    "gated",
    "unstreamed",
    "failed",
    "rejected",
    "asks",
    "login",
)


def note(*words: str) -> None:
    with NOTES.open("a") as file:
        print(*words, file=file)


class Executor(AgentExecutor):
    """An agent that ends its task in the way that its name says."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        assert context.message
        assert context.task_id
        assert context.context_id
        if self.name == "message":
            await event_queue.enqueue_event(new_text_message(SAID, context_id=context.context_id))
            return
        note("task", self.name)
        await event_queue.enqueue_event(new_task_from_user_message(context.message))
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        await updater.start_work()
        told = new_text_message("Which city?", context_id=context.context_id, task_id=context.task_id)
        if self.name == "login":
            await updater.requires_auth(told)
        while self.name in ("gated", "unstreamed", "login") and not GATE.exists():
            await asyncio.sleep(0.05)
        if self.name == "login":
            await updater.start_work()
            note("entered", self.name)
        ends: dict[str, Any] = {"failed": updater.failed, "rejected": updater.reject, "asks": updater.requires_input}
        if end := ends.get(self.name):
            await end(told)
        elif self.name == "status":
            await updater.complete(new_text_message(SAID, context_id=context.context_id, task_id=context.task_id))
        else:
            await updater.add_artifact([new_text_part(SAID)], name="answer")
            await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        assert context.task_id
        assert context.context_id
        note("cancel", self.name)
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


class Tasks(InMemoryTaskStore):
    """The tasks of one agent, which notes when it is asked for them."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    async def list(self, params: ListTasksRequest, context: Any) -> ListTasksResponse:
        note("list", self.name)
        if self.name == "unfiltered":
            params.context_id = ""
        return await super().list(params, context)


class KeyGuard:
    """Refuses the agent `keyed` to whoever does not show its key."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        is_known = scope["type"] != "http" or Request(scope).headers.get("authorization") == f"Bearer {KEY}"
        await (self.app if is_known else Response("who are you?", 401))(scope, receive, send)


def build_app(root: str) -> Starlette:
    """The application with all agents."""
    routes: list[Any] = []
    for name in (*AGENTS, "elsewhere", "keyed"):
        address = "http://localhost:9/other" if name == "elsewhere" else f"{root}/{name}/rpc"
        card = AgentCard(
            name=name,
            description="An agent of a test.",
            version="1",
            supported_interfaces=[
                AgentInterface(
                    url=address, protocol_binding="JSONRPC", protocol_version="0.3" if name == "legacy" else "1.0"
                )
            ],
            capabilities=AgentCapabilities(streaming=name != "unstreamed"),
            default_input_modes=["text/plain"],
            default_output_modes=["text/plain"],
            skills=[AgentSkill(id="answer", name="answer", description="Answer.", tags=["test"])],
        )
        handler = DefaultRequestHandlerV2(Executor(name), Tasks(name), card)
        rpc_routes = create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=name == "legacy")
        app: Any = Starlette(routes=[*create_agent_card_routes(card), *rpc_routes])
        routes.append(Mount(f"/{name}", KeyGuard(app) if name == "keyed" else app))

    async def lead_elsewhere(request: Request) -> Response:
        status = 303 if request.url.path.startswith("/page/") else 307
        return RedirectResponse(f"{root.replace('127.0.0.1', 'localhost')}/caught", status)

    async def catch(request: Request) -> Response:
        note("elsewhere", request.headers.get("authorization", "no key"))
        return Response(status_code=404)

    for name in ("moved", "page"):
        routes.append(Route(f"/{name}/{{rest:path}}", lead_elsewhere, methods=["GET", "POST"]))
    routes.append(Route("/caught", catch, methods=["GET", "POST"]))
    return Starlette(routes=routes)


@contextmanager
def serve_agents(folder: Path) -> Iterator[str]:
    """The agents in a process of their own; gives the root of their addresses."""
    port = free_port()
    place = {"NOTES": str(folder / "notes"), "GATE": str(folder / "gate")}
    path = os.pathsep.join([str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen([sys.executable, __file__, str(port)], env={**os.environ, **place, "PYTHONPATH": path})
    try:
        while process.poll() is None:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    uvicorn.run(build_app(f"http://127.0.0.1:{sys.argv[1]}"), port=int(sys.argv[1]), log_level="error")
