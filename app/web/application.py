"""Room as a Starlette application: its routes, its guard and its error page."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from urllib.parse import parse_qs

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from ...models import RunStoppedError
from ...prompts import TemplateError
from ...state import InputError
from ..run.failure import RunInterruptedError, explain_failure
from ..saved.database_errors import make_database_error
from . import experiment_page, fork_page, run_page, runs_page, start_page
from .guard import RoomGuard
from .login import COOKIE, COOKIE_DAYS
from .rate_limit import RateLimit
from .rendering import detect_browser_language, read_asset, render_response
from .room import Room, get_room
from .seat import page

ASSETS = {"report.css": "text/css", "room.css": "text/css", "room.js": "text/javascript", "icon.svg": "image/svg+xml"}

TOKEN_ATTEMPTS = RateLimit(10, 60.0)
"""Maximum login attempts per minute, for all browsers together."""

ROUTES = [
    Route("/", runs_page.render_runs),
    Route("/runs/{run}", run_page.render_run),
    Route("/runs/{run}/events", run_page.stream_run_events),
    Route("/runs/{run}/report", run_page.render_run_report),
    Route("/runs/{run}/data", run_page.export_run_data),
    Route("/runs/{run}/stop", run_page.handle_stop, methods=["POST"]),
    Route("/runs/{run}/resume", run_page.handle_resume, methods=["POST"]),
    Route("/runs/{run}/approvals", run_page.handle_approval, methods=["POST"]),
    Route("/runs/{run}/seats", run_page.handle_link_change, methods=["POST"]),
    Route("/runs/{run}/fork", fork_page.render_fork_form),
    Route("/runs/{run}/fork", fork_page.handle_fork, methods=["POST"]),
    Route("/new", start_page.render_start_form),
    Route("/new", start_page.handle_start, methods=["POST"]),
    Route("/seat/{token}", page.require_seat(page.render_seat)),
    Route("/seat/{token}", page.require_seat(page.handle_action), methods=["POST"]),
    Route("/seat/{token}/events", page.require_seat(page.stream_seat_events)),
    Route("/seat/{token}/report", page.require_seat(page.render_seat_report)),
    Route("/compare", fork_page.render_comparison),
    Route("/experiments", runs_page.render_experiments),
    Route("/experiments/{name}", experiment_page.render_experiment),
    Route("/experiments/{name}/report", experiment_page.render_experiment_report),
    Route("/runs/{run}/delete", runs_page.render_delete_page),
    Route("/runs/{run}/delete", runs_page.handle_delete, methods=["POST"]),
]


async def handle_login(request: Request) -> Response:
    """Log in a browser that sends the printed token, or a configured one."""
    token = request.query_params.get("token", "")
    if request.method == "POST":
        try:
            body = await request.body()
        except ClientDisconnect:
            return Response(status_code=400)
        token = parse_qs(body.decode("utf-8", "replace")).get("token", [""])[0]
    if not token:
        return render_response("enter.html", detect_browser_language(request), 401, wrong=False)
    if not TOKEN_ATTEMPTS.try_acquire(""):
        return PlainTextResponse("Too many attempts; wait a minute.", 429)
    login = get_room(request).login
    if not login.accept_token(token):
        return render_response("enter.html", detect_browser_language(request), 401, wrong=True)
    response = RedirectResponse("/", 303)
    response.set_cookie(COOKIE, login.make_cookie(), max_age=COOKIE_DAYS * 86_400, httponly=True, samesite="strict")
    return response


async def serve_asset(request: Request) -> Response:
    """Return a style sheet, the script or the icon of the room, or status 404."""
    name = request.path_params["name"]
    if name not in ASSETS:
        return PlainTextResponse("There is no such file.", 404)
    return Response(read_asset(name), media_type=ASSETS[name], headers={"cache-control": "max-age=300"})


async def render_error(request: Request, error: Exception) -> Response:
    """Return the error page: one line, and a link back.

    The status is 404 if the requested thing does not exist, otherwise 409.
    """
    room = get_room(request)
    if isinstance(error, room.store.connection_errors):
        room.driver.losses.append(error)
        error = make_database_error(room.store.address, error)
    line, segments = explain_failure(error).line, request.url.path.split("/")
    status = 404 if isinstance(error, InputError) and "no such" in error.remedy else 409
    parent_path = "/".join(segments[:3]) if status == 409 and len(segments) > 3 else "/"
    return render_response("fault.html", detect_browser_language(request), status, line=line, back=parent_path)


@asynccontextmanager
async def watch_room(app: Starlette) -> AsyncIterator[None]:
    """Watch the saved runs and the deadlines while the application runs.

    When it closes, let this process's runs finish their current step.
    """
    room: Room = app.state.room
    tasks = [
        asyncio.create_task(coroutine) for coroutine in (room.hub.watch_store(), room.driver.deadlines.enforce_all())
    ]

    def report_failure(task: "asyncio.Task[None]") -> None:
        error = None if task.cancelled() else task.exception()
        if isinstance(error, room.store.connection_errors):
            room.driver.losses.append(error)
        elif error:
            logging.getLogger(__name__).error(
                "the room no longer sees changes; start it again with moot serve", exc_info=error
            )

    for task in tasks:
        task.add_done_callback(report_failure)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await room.driver.close()


def build_application(room: Room, host_names: Iterable[str] = (), extra_routes: Iterable[BaseRoute] = ()) -> Starlette:
    """Build the application of a room.

    `host_names`: names under which browsers may reach it. `extra_routes`: additional routes, such as those of the
    OpenAI-compatible endpoint.
    """
    app = Starlette(
        routes=[
            Route("/enter", handle_login, methods=["GET", "POST"]),
            Route("/assets/{name}", serve_asset),
            *ROUTES,
            *extra_routes,
        ],
        middleware=[Middleware(RoomGuard, login=room.login, names=host_names)],
        exception_handlers=dict.fromkeys(
            [
                InputError,
                RunStoppedError,
                RunInterruptedError,
                ValidationError,
                TemplateError,
                *room.store.connection_errors,
            ],
            render_error,
        ),
        lifespan=watch_room,
    )
    app.state.room = room
    return app
