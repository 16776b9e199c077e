"""The list of runs, found by words, protocol and ending; and the page that asks before one is deleted."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...state.refused import Refused
from ..protocol_list import every_protocol
from ..report.blocks import moment
from ..saved import Run, Store, checked, forget, state_of
from .course import standing
from .room import room_of
from .words import language_of, shown

A_PAGE = 100
"""Runs on one page."""


@dataclass(frozen=True)
class Line:
    """A run as the list shows it."""

    run: Run
    state: str
    when: str


async def lines(store: Store, found: list[Run]) -> list[Line]:
    """Runs with how they stand."""
    return [await _line(store, one) for one in found]


async def _line(store: Store, run: Run) -> Line:
    held = await store.is_held(run.run)
    saved = None if run.finished and not held else await state_of(store, run)
    state = standing(saved, held) if saved else "finished"
    return Line(saved.row() if saved else run, state, moment(run.started)[:16])


async def runs(request: Request) -> Response:
    """The runs that fit, newest first."""
    room, asked = room_of(request), request.query_params
    words, kind, ending = (asked.get(key, "")[:200] for key in ("q", "protocol", "ending"))
    every = await room.store.runs.all()
    endings = sorted({one.ending for one in every if one.ending})
    fitting = [
        one
        for one in every
        if kind in ("", one.protocol)
        and ending in ("", one.ending)
        and all(word in f"{one.run} {one.topic}".casefold() for word in words.casefold().split())
    ]
    first = min(int(asked["from"]), len(fitting)) if asked.get("from", "").isdecimal() else 0
    found = await lines(room.store, fitting[first : first + A_PAGE])
    chosen = {"q": words, "protocol": kind, "ending": ending}
    return shown(
        "runs.html",
        language_of(request),
        groups={state: [one for one in found if one.state == state] for state in GROUPS},
        chosen=chosen,
        protocols=list(every_protocol()),
        endings=endings,
        count=len(fitting),
        after=first + A_PAGE if first + A_PAGE < len(fitting) else 0,
        experiments=await room.store.experiments.names(),
    )


GROUPS = ("live", "waiting", "stopped", "finished")
"""How runs may stand, in the order of the list."""


async def ask_delete(request: Request) -> Response:
    """Ask whether a run is to be deleted."""
    run = await room_of(request).store.runs.get(checked(request.path_params["run"]))
    return shown("delete.html", language_of(request), run=run, when=moment(run.started))


async def delete(request: Request) -> Response:
    """Delete a run for good. Raises `Refused` while it is under way."""
    store, name = room_of(request).store, checked(request.path_params["run"])
    await store.runs.get(name)
    if await store.is_held(name):
        raise Refused("run", name, "it is running now; stop it first")
    async with store.lock(name):
        await forget(store, name)
    return RedirectResponse("/", 303)
