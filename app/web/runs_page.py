"""List of runs, with search by words, protocol and ending, and the page that confirms a deletion."""

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...models.outage import get_server_name
from ...state.errors import InputError
from ..protocols.registry import list_protocols
from ..report.blocks import format_moment
from ..saved import Run, Store, check_run_name, delete_run, load_state
from .rendering import detect_browser_language, render_response
from .room import get_room
from .run_events import get_run_state

PAGE_SIZE = 100
"""Largest number of runs on one page."""


async def build_run_lines(store: Store, runs: list[Run]) -> list[dict[str, Any]]:
    """Build the lines of the list: row, state and time of each run."""
    lines = []
    for run in runs:
        state, is_locked = "finished", await store.is_held(run.run)
        if is_locked or not run.finished:
            saved_run = await load_state(store, run)
            run, state = saved_run.build_row(), get_run_state(saved_run, is_locked)
        server = get_server_name(run.waiting_for) if state == "parked" else ""
        lines.append({"run": run, "state": state, "when": format_moment(run.started)[:16], "server": server})
    return lines


async def render_runs(request: Request) -> Response:
    """Return the page of matching runs, newest first."""
    room, query = get_room(request), request.query_params
    search_text, protocol_name, ending = (query.get(key, "")[:200] for key in ("q", "protocol", "ending"))
    all_runs = await room.store.runs.list_runs()
    endings = sorted({run.ending for run in all_runs if run.ending})
    matching_runs = [
        run
        for run in all_runs
        if protocol_name in ("", run.protocol)
        and ending in ("", run.ending)
        and all(word in f"{run.run} {run.topic}".casefold() for word in search_text.casefold().split())
    ]
    start = min(int(query["from"]), len(matching_runs)) if query.get("from", "").isdecimal() else 0
    run_lines = await build_run_lines(room.store, matching_runs[start : start + PAGE_SIZE])
    filters = {"q": search_text, "protocol": protocol_name, "ending": ending}
    return render_response(
        "runs.html",
        detect_browser_language(request),
        groups={state: [line for line in run_lines if line["state"] == state] for state in RUN_STATES},
        chosen=filters,
        protocols=list(list_protocols()),
        endings=endings,
        count=len(matching_runs),
        after=start + PAGE_SIZE if start + PAGE_SIZE < len(matching_runs) else 0,
        experiments=await room.store.experiments.list_names(),
    )


RUN_STATES = ("live", "waiting", "parked", "stopped", "finished")
"""States of runs, in the order of the list."""


async def render_delete_page(request: Request) -> Response:
    """Return the page that confirms the deletion of a run."""
    run = await get_room(request).store.runs.get_run(check_run_name(request.path_params["run"]))
    return render_response("delete.html", detect_browser_language(request), run=run, when=format_moment(run.started))


async def handle_delete(request: Request) -> Response:
    """Delete a run permanently. Raises `InputError` while the run is locked."""
    store, name = get_room(request).store, check_run_name(request.path_params["run"])
    await store.runs.get_run(name)
    if await store.is_held(name):
        raise InputError("run", name, "it is running now; stop it first")
    async with store.lock(name):
        await delete_run(store, name)
    return RedirectResponse("/", 303)
