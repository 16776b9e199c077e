"""Pages with the list of runs, the list of experiments, and the question before a deletion."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...models import get_server_name, is_offline
from ...nodes.outcome import is_rehearsed
from ...state import InputError
from ..people.open_questions import list_awaited_names
from ..protocols.registry import map_protocols
from ..report import build_document, build_opening, build_page, format_moment
from ..saved import RUN_STATES, Run, Store, check_run_name, delete_run, get_run_state, load_row, load_state
from .experiment_page import summarize_experiment
from .rendering import detect_browser_language, render_response
from .room import Room, get_room
from .run_events import describe_next_step, summarize_cost

PAGE_SIZE = 40
"""Maximum number of rows on one page. An experiment takes one row."""
FILTERS = ("q", "protocol", "model", "state", "ending", "since", "until", "cost", "rehearsals")
"""Names of the list's filters in the address."""


async def render_runs(request: Request) -> Response:
    """Return the page with the runs that pass the filters, newest first."""
    room, query = get_room(request), request.query_params
    chosen_filters = {key: query.get(key, "").strip()[:200] for key in FILTERS}
    all_runs = await room.store.runs.list_runs()
    runs = [run for run in all_runs if matches_filters(run, chosen_filters)]
    states = {run.run: await find_run_state(room.store, run) for run in runs}
    counts = Counter(states.values())
    if state := chosen_filters["state"]:
        runs = [run for run in runs if states[run.run] == state]
    rows = group_runs_into_rows(runs)
    first_row = query.get("from", "")[:9]
    start = min(int(first_row), len(rows)) if first_row.isdecimal() else 0
    return render_response(
        "runs.html",
        detect_browser_language(request),
        rows=[await build_row_line(room, row, states) for row in rows[start : start + PAGE_SIZE]],
        chosen=chosen_filters,
        states=[
            (key, f"/?{urlencode(chosen_filters | {'state': key})}", counts[key] if key else len(states))
            for key in ("", *RUN_STATES)
            if not key or counts[key] or key == state
        ],
        rehearsals=f"/?{urlencode(chosen_filters | {'rehearsals': '' if chosen_filters['rehearsals'] else 'no'})}",
        protocols=list(map_protocols()),
        models=sorted({model for run in all_runs for model in run.models}),
        endings=sorted({run.ending for run in all_runs if run.ending}),
        filters=[text for text in chosen_filters.values() if text],
        count=len(runs),
        newer=f"/?{urlencode(chosen_filters | {'from': max(0, start - PAGE_SIZE)})}" if start else "",
        older=f"/?{urlencode(chosen_filters | {'from': start + PAGE_SIZE})}" if start + PAGE_SIZE < len(rows) else "",
    )


def matches_filters(run: Run, filters: Mapping[str, str]) -> bool:
    """Return whether a run's row passes all filters except the one for the run's state.

    The row does not contain the state.
    """
    words, day = filters["q"].casefold().split(), run.started[:10]
    text = f"{run.run} {run.topic} {run.experiment}".casefold()
    try:
        least_cost = float(filters["cost"] or 0)
    except ValueError:
        least_cost = 0.0
    return (
        filters["protocol"] in ("", run.protocol)
        and filters["ending"] in ("", run.ending)
        and (not filters["model"] or filters["model"] in run.models)
        and filters["since"] <= day <= (filters["until"] or day)
        and (not least_cost or (run.cost or 0.0) >= least_cost)
        and not (filters["rehearsals"] == "no" and run.models and all(map(is_offline, run.models)))
        and all(word in text for word in words)
    )


async def find_run_state(store: Store, run: Run) -> str:
    """Return the state of a run.

    The run is loaded only if its process ended before it could save the run's row.
    """
    is_held = get_run_state(run, False) != "finished" and await store.is_held(run.run)
    is_current = is_held or run.is_finished or run.missing_package or not run.checkpoint
    if not is_current and not await store.runs.has_current_figures(run):
        run = await load_row(store, run)
    return get_run_state(run, is_held)


def group_runs_into_rows(runs: Sequence[Run]) -> list[list[Run]]:
    """Group runs into the lines of the list, in the order of their newest runs.

    The runs of an experiment share a line. Every other run has its own line.
    """
    rows: dict[str, list[Run]] = {}
    for run in runs:
        rows.setdefault(f"experiment {run.experiment}" if run.experiment else run.run, []).append(run)
    return list(rows.values())


async def build_row_line(room: Room, runs: Sequence[Run], states: Mapping[str, str]) -> dict[str, Any]:
    """Return the template values of one line in the list of runs.

    `runs`: runs of the line. `states`: state of each run by name. The line of an experiment shows no results, so that
    nobody looks at them before its end.
    """
    if not runs[0].experiment:
        return await build_run_line(room, runs[0], states[runs[0].run])
    line = dict.fromkeys(("totals", "left", "spent", "most"), "") | {
        "experiment": runs[0].experiment,
        "runs": runs[:PAGE_SIZE],
        "count": len(runs),
        "finished": sum(run.is_finished for run in runs),
        "failed": sum(bool(run.fault) for run in runs),
        "when": runs[0].started,
    }
    with suppress(InputError):  # its runs are kept, the experiment is not
        line |= await summarize_experiment(room.store, runs[0].experiment)
    return line


async def build_run_line(room: Room, run: Run, state: str) -> dict[str, Any]:
    """Return the template values of a run's line: its state, its result or fault, and its cost."""
    keys = ("experiment", "result", "awaited", "money", "participants", "rehearsed", "server", "doing")
    bare_line = dict.fromkeys(keys, "") | {"run": run, "state": state, "when": run.started}
    if run.missing_package:
        return bare_line
    row, line = room.run_lines.get(run.run, (None, {}))
    if state != "live" and row is run and line["state"] == state:
        return line
    try:
        row, saved_run = run, await load_state(room.store, run)
    except InputError as error:
        return bare_line | {"result": error}
    run = saved_run.build_row()
    result = "" if state == "live" else run.fault
    if saved_run.has_begun and state == "finished":
        result = build_opening(build_page(build_document(saved_run))).verdict
    line = {
        "experiment": "",
        "run": run,
        "state": state,
        "result": result,
        "doing": describe_next_step(saved_run),
        "awaited": list_awaited_names(saved_run),
        "money": summarize_cost(saved_run)["money"] if saved_run.has_begun else "",
        "participants": saved_run.state.get("participants", []),
        "rehearsed": is_rehearsed(saved_run.state.get("calls", [])),
        "server": get_server_name(run.waiting_for) if state == "parked" else "",
        "when": run.started,
    }
    room.run_lines[run.run] = row, line
    return line


async def render_experiments(request: Request) -> Response:
    """Return the page with the list of experiments.

    An experiment that cannot be read here is listed with the reason.
    """
    store, experiments = get_room(request).store, list[dict[str, Any]]()
    for name in await store.experiments.list_names():
        try:
            experiments.append(await summarize_experiment(store, name))
        except InputError as error:
            experiments.append({"name": name, "fault": error})
    return render_response("experiments.html", detect_browser_language(request), experiments=experiments)


async def render_delete_page(request: Request) -> Response:
    """Return the page that confirms the deletion of a run."""
    run = await get_room(request).store.runs.get_run(check_run_name(request.path_params["run"]))
    return render_response("delete.html", detect_browser_language(request), run=run, when=format_moment(run.started))


async def handle_delete(request: Request) -> Response:
    """Delete a run permanently, and redirect to the list.

    Raises `InputError` while a process executes it.
    """
    store, name = get_room(request).store, check_run_name(request.path_params["run"])
    await store.runs.get_run(name)
    if await store.is_held(name):
        raise InputError("run", name, "the run is in progress; stop it first")
    async with store.lock(name):
        await delete_run(store, name)
    return RedirectResponse("/", 303)
