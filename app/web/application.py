"""The room as an application: its pages by address, what stands before them, and what errors are told as."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from urllib.parse import parse_qs

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from ...nodes.models.failures import Stopped
from ...prompts import TemplateFault
from ...state.refused import Refused
from ..failure import Interrupted, failure
from . import begin_page, compare_page, experiment_page, fork_page, run_page, runs_page
from .door import COOKIE, DAYS
from .guard import Guard, Rate
from .room import Room, room_of
from .seat import links, page
from .words import asset, language_of, shown

ASSETS = {"report.css": "text/css", "room.css": "text/css", "room.js": "text/javascript", "icon.svg": "image/svg+xml"}

TRIES = Rate(10, 60.0)
"""Wrong or right tokens that are tried in a minute, whoever tries."""

ROUTES = [
    Route("/", runs_page.runs),
    Route("/runs/{run}", run_page.run),
    Route("/runs/{run}/events", run_page.events),
    Route("/runs/{run}/report", run_page.report),
    Route("/runs/{run}/data", run_page.data),
    Route("/runs/{run}/stop", run_page.stop, methods=["POST"]),
    Route("/runs/{run}/resume", run_page.resume, methods=["POST"]),
    Route("/runs/{run}/seats", links.change, methods=["POST"]),
    Route("/runs/{run}/fork", fork_page.form),
    Route("/runs/{run}/fork", fork_page.fork, methods=["POST"]),
    Route("/new", begin_page.form),
    Route("/new", begin_page.begin, methods=["POST"]),
    Route("/seat/{token}", page.seat),
    Route("/seat/{token}", page.act, methods=["POST"]),
    Route("/seat/{token}/events", page.events),
    Route("/compare", compare_page.compare),
    Route("/experiments/{name}", experiment_page.experiment),
    Route("/experiments/{name}/report", experiment_page.report),
    Route("/runs/{run}/delete", runs_page.ask_delete),
    Route("/runs/{run}/delete", runs_page.delete, methods=["POST"]),
]


async def enter(request: Request) -> Response:
    """Let in whoever has the token: the one that was printed, or the one that is set."""
    token = request.query_params.get("token", "")
    if request.method == "POST":
        token = parse_qs((await request.body()).decode("utf-8", "replace")).get("token", [""])[0]
    if not token:
        return shown("enter.html", language_of(request), 401, wrong=False)
    if not TRIES.allows(""):
        return PlainTextResponse("Too many tries; wait a minute.", 429)
    door = room_of(request).door
    if not door.opens(token):
        return shown("enter.html", language_of(request), 401, wrong=True)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(COOKIE, door.cookie(), max_age=DAYS * 86_400, httponly=True, samesite="strict")
    return answer


async def given_asset(request: Request) -> Response:
    """A style sheet, the script, or the picture of the room."""
    name = request.path_params["name"]
    if name not in ASSETS:
        return PlainTextResponse("There is no such file.", 404)
    return Response(asset(name), media_type=ASSETS[name], headers={"cache-control": "max-age=300"})


async def told(request: Request, error: Exception) -> Response:
    """What cannot be done, in one line."""
    line, place = failure(error).line, request.url.path.split("/")
    status = 404 if isinstance(error, Refused) and "no such" in error.remedy else 409
    back = "/".join(place[:3]) if status == 409 and len(place) > 3 else "/"
    return shown("fault.html", language_of(request), status, line=line, back=back)


@asynccontextmanager
async def looking(app: Starlette) -> AsyncIterator[None]:
    """While the room is open, look for news of watched runs, and at deadlines; then let what is driven come to rest."""
    room: Room = app.state.room
    tasks = [asyncio.create_task(one) for one in (room.hub.look_on(), room.driver.deadlines.keep())]
    for task in tasks:
        task.add_done_callback(_tell_end)
    yield
    for task in tasks:
        task.cancel()
    await room.driver.close()


def _tell_end(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (error := task.exception()):
        logging.getLogger(__name__).error("the room looks no more; open it again", exc_info=error)


def application(room: Room, names: Iterable[str] = (), beside: Iterable[BaseRoute] = ()) -> Starlette:
    """The application of a room that is also called by these host names. `beside`: what else it answers."""
    own = [Route("/enter", enter, methods=["GET", "POST"]), Route("/assets/{name}", given_asset)]
    kinds = (Refused, Stopped, Interrupted, ValidationError, TemplateFault)
    app = Starlette(
        routes=[*own, *ROUTES, *beside],
        middleware=[Middleware(Guard, door=room.door, names=names)],
        exception_handlers=dict.fromkeys(kinds, told),
        lifespan=looking,
    )
    app.state.room = room
    return app
