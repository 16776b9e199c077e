"""One run: its page, which goes on by itself while the run does, its events, its report and its data."""

from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from ...state.refused import Refused
from ..document import document
from ..report import html
from ..report.glance import glance
from ..report.head import head
from ..report.page import Page, page
from ..report.papers import papers
from ..report.payoffs import result
from ..report.render import RECORD, figures, report_policy, sections
from ..report.rotation import guests
from ..report.talk import Round, rounds
from ..saved import Saved, checked
from .course import cursor_from, cursor_of, named, spent, standing, thinking, waited_for
from .room import Room, room_of
from .seat.links import links
from .stream import EventStream
from .words import language_of, rendered, shown

LETTERS = 50_000
"""Characters of statements that a page shows; the report has all."""


async def run(request: Request) -> Response:
    """The page of a run."""
    room, name = room_of(request), checked(request.path_params["run"])
    saved = await room.hub.saved(name)
    state = standing(saved, await room.store.is_held(name))
    told: dict[str, Any] = {
        "run": name,
        "state": state,
        "ours": room.driver.drives(name),
        "fault": "" if saved.begun and saved.run.fault else saved.run.fault or room.driver.faults.get(name, ""),
        "handed": state == "stopped" and await room.driver.waits_for_worker(name),
    }
    if not saved.begun:
        return shown("unbegun.html", language_of(request), topic=saved.run.topic, **told)
    told["seats"] = await links(room, saved)
    html = room.hub.made(
        saved, told, lambda: rendered("run.html", saved.state["rules"].language, **told, **parts(saved))
    )
    return HTMLResponse(html)


def parts(saved: Saved) -> dict[str, Any]:
    """What stands on the page of a run."""
    found = page(document(saved))
    closing = found.document["synthesis"]
    every = rounds(found)
    newest = _newest(every)
    return {
        "page": found,
        "tell": found.say,
        "opening": head(found),
        "glance": glance(found),
        "closing": found.prose.closing(closing) if closing else "",
        "result": result(found),
        "rounds": newest,
        "left_out": sum(len(one.entries) for one in every) - sum(len(one.entries) for one in newest),
        "guests": guests(found),
        "papers": papers(found),
        "figures": figures(found),
        "record": sections(found, {key: RECORD[key] for key in ("incidents", "cost", "memory", "about")}),
        "cursor": named(cursor_of(saved)),
        "spent": spent(saved),
        "doing": thinking(saved),
        "waits_for": waited_for(saved),
        "origin": saved.run.forked_from.partition(" ")[0],
        "turns": _turns(found),
    }


def _turns(shown: Page) -> int:
    return len(shown.document["turns"])


def _newest(every: list[Round]) -> list[Round]:
    """The last rounds, as far as there is room for what was said in them; of the first of these the last turns."""
    left, kept = LETTERS, list[Round]()
    for one in reversed(every):
        entries = list[Any]()
        for entry in reversed(one.entries):
            left -= len(entry.text or "") + 600
            if left < 0 and (kept or entries):
                break
            entries.insert(0, entry)
        if entries:
            kept.insert(0, replace(one, entries=entries))
        if left < 0:
            break
    return kept


async def events(request: Request) -> Response:
    """What happens in a run from now on, or from where its reader left off."""
    room, name = room_of(request), checked(request.path_params["run"])
    seen = request.headers.get("last-event-id") or request.query_params.get("after", "")
    watcher = await room.hub.enter(name, cursor_from(seen))
    return EventStream(room.hub, name, watcher)


async def report(request: Request) -> Response:
    """The report of a run, whose one script is known by what it says."""
    return HTMLResponse(html(await _document(request)), headers={"content-security-policy": report_policy()})


async def data(request: Request) -> Response:
    """All data of a run."""
    found = await _document(request)
    return JSONResponse(found, headers={"content-disposition": f'attachment; filename="{found["run"]}.json"'})


async def _document(request: Request) -> dict[str, Any]:
    name = checked(request.path_params["run"])
    return document_of(await room_of(request).hub.saved(name))


def document_of(saved: Saved) -> dict[str, Any]:
    """The document of a run. Raises `Refused` where nothing of it was saved yet."""
    if not saved.begun:
        raise Refused("run", saved.run.run, "nothing of it was saved yet")
    return document(saved)


async def stop(request: Request) -> Response:
    """Let a run end its current step."""
    name = checked(request.path_params["run"])
    room_of(request).driver.stop(name)
    return back_to(name)


async def resume(request: Request) -> Response:
    """Go on with a run."""
    room, name = room_of(request), checked(request.path_params["run"])
    await resumed(room, name)
    return back_to(name)


async def resumed(room: Room, name: str) -> None:
    """Go on with a run, unless it waits for somebody or has ended."""
    saved = await room.hub.saved(name)
    if waited_for(saved):
        raise Refused("run", name, f"it waits for {', '.join(waited_for(saved))}")
    await room.driver.resume(name)


def back_to(name: str) -> Response:
    """Lead back to the page of a run."""
    return RedirectResponse(f"/runs/{name}", 303)
