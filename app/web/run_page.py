"""Page of one run, and its events, data and invitations. The page updates itself during the run."""

from dataclasses import replace
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from ...models import get_server_name
from ...state import OWNER, InputError
from ..people import list_awaited_names, list_open_questions, parse_reply_to_agent
from ..protocols import get_hooks, get_protocol
from ..report import (
    RoundEntry,
    build_document,
    build_figure_sections,
    build_opening,
    build_overview,
    build_page,
    build_record_sections,
    format_security_policy,
    list_rounds,
    render_html,
)
from ..saved import Run, SavedRun, check_run_name, get_run_state, load_saved_run
from .event_stream import read_events, stream_to_subscriber
from .phase_diagram import place_phases
from .rendering import detect_browser_language, render_response, render_template
from .room import Room, get_room
from .run_events import (
    compute_cursor,
    describe_next_step,
    format_cursor,
    parse_cursor,
    summarize_cost,
)
from .seat.answers import submit_answer
from .seat.view import list_missing_people

MAX_PAGE_LETTERS = 50_000
"""Maximum characters of statements on a page. The report contains all statements."""


async def render_run(request: Request) -> Response:
    """Return the page of a run."""
    room, name = get_room(request), check_run_name(request.path_params["run"])
    run, is_held = await room.store.runs.get_run(name), await room.store.is_held(name)
    if package := run.missing_package:
        state = get_run_state(run, is_held)
        return render_unbegun(request, run, run=name, package=package, state=state, fault=run.fault)
    saved_run = await room.hub.load_latest_run(name)
    state = get_run_state(saved_run.build_row(), is_held)
    values: dict[str, Any] = {
        "run": name,
        "state": state,
        "server": get_server_name(saved_run.run.waiting_for) if state == "parked" else "",
        "ours": room.driver.is_driving(name),
        "fault": "" if state in ("live", "finished") else saved_run.run.fault or room.driver.faults.get(name, ""),
        "handed": state == "stopped" and await room.driver.is_queued(name),
    }
    if not saved_run.has_begun:
        return render_unbegun(request, run, package="", **values)
    values["seats"] = await list_person_seats(room, saved_run)
    return HTMLResponse(
        room.hub.reuse_page(
            saved_run,
            values,
            lambda: render_template(
                "run.html", saved_run.state["settings"].language, **values, **build_run_context(saved_run)
            ),
        )
    )


def render_unbegun(request: Request, row: Run, **values: Any) -> Response:
    """Return the page of a run whose state is missing or unreadable."""
    return render_response("unbegun.html", detect_browser_language(request), row=row, **values)


def build_run_context(saved_run: SavedRun) -> dict[str, Any]:
    """Return the template values of the page of a run."""
    report_page = build_page(build_document(saved_run))
    synthesis = report_page.document["synthesis"]
    all_rounds = list_rounds(report_page)
    newest_rounds = _select_newest_rounds(all_rounds)
    return {
        "page": report_page,
        "tell": report_page.say,
        "opening": build_opening(report_page),
        "glance": build_overview(report_page),
        "closing": report_page.renderer.render_synthesis(synthesis) if synthesis else "",
        "result": report_page.hooks.summary(report_page),
        "rounds": newest_rounds,
        "left_out": sum(len(talk_round.entries) for talk_round in all_rounds)
        - sum(len(talk_round.entries) for talk_round in newest_rounds),
        "guests": report_page.hooks.guests(report_page),
        "papers": report_page.hooks.papers(report_page),
        "figures": build_figure_sections(report_page),
        "record": build_record_sections(report_page, ("incidents", "cost", "memory", "about")),
        "cursor": format_cursor(compute_cursor(saved_run)),
        "spent": summarize_cost(saved_run),
        "doing": describe_next_step(saved_run),
        "diagram": place_phases(get_protocol(saved_run.run.protocol).module.graph),
        "next_nodes": saved_run.next,
        "floor": saved_run.state.get("floor") or [],
        "since": saved_run.at,
        "reached": (all_rounds[-1].number if all_rounds else 1, saved_run.state["turn"]),
        "cap": get_hooks(saved_run.run.protocol).turn_cap(saved_run.state["settings"], len(report_page.seats)),
        "waits_for": list_awaited_names(saved_run),
        "due": saved_run.build_row().due_at,
        "approvals": [question for question in list_open_questions(saved_run) if question["who"] == OWNER],
        "origin": saved_run.run.forked_from.partition(" ")[0],
        "turns": len(report_page.document["turns"]),
    }


def _select_newest_rounds(all_rounds: list[RoundEntry]) -> list[RoundEntry]:
    """Return the last rounds that together fit on a page. The first of them may be incomplete."""
    letters_left, selected_rounds = MAX_PAGE_LETTERS, list[RoundEntry]()
    for talk_round in reversed(all_rounds):
        entries = list[Any]()
        for entry in reversed(talk_round.entries):
            letters_left -= len(entry.text or "") + 600
            if letters_left < 0 and (selected_rounds or entries):
                break
            entries.insert(0, entry)
        if entries:
            selected_rounds.insert(0, replace(talk_round, entries=entries))
        if letters_left < 0:
            break
    return selected_rounds


async def stream_run_events(request: Request) -> Response:
    """Stream the events of a run to a browser, from now or after the last event it received."""
    room, name = get_room(request), check_run_name(request.path_params["run"])
    subscriber = await room.hub.add_subscriber(
        name, parse_cursor(request.headers.get("last-event-id") or request.query_params.get("after", ""))
    )
    return stream_to_subscriber(room.hub, name, subscriber, read_events(subscriber))


async def render_run_report(request: Request) -> Response:
    """Return the report of a run. Its security policy allows only the report's own script."""
    return HTMLResponse(
        render_html(await _load_document(request)), headers={"content-security-policy": format_security_policy()}
    )


async def export_run_data(request: Request) -> Response:
    """Return the document of a run as a JSON file to download."""
    run_document = await _load_document(request)
    return JSONResponse(
        run_document, headers={"content-disposition": f'attachment; filename="{run_document["run"]}.json"'}
    )


async def _load_document(request: Request) -> dict[str, Any]:
    return require_document(await get_room(request).hub.load_latest_run(check_run_name(request.path_params["run"])))


def require_document(saved_run: SavedRun) -> dict[str, Any]:
    """Return the document of a run. Raises `InputError` if the run saved no step yet."""
    if not saved_run.has_begun:
        raise InputError("run", saved_run.run.run, "the run has no saved step")
    return build_document(saved_run)


async def handle_stop(request: Request) -> Response:
    """Stop a run after its current step."""
    name = check_run_name(request.path_params["run"])
    get_room(request).driver.stop_run(name)
    return redirect_to_run(name)


async def handle_resume(request: Request) -> Response:
    """Resume a run.

    Raises `InputError` if the run waits for a person.
    """
    room, name = get_room(request), check_run_name(request.path_params["run"])
    saved_run = await room.hub.load_latest_run(name)
    if list_awaited_names(saved_run):
        raise InputError("run", name, f"the run waits for {', '.join(list_awaited_names(saved_run))}")
    await room.driver.resume_run(name)
    return redirect_to_run(name)


async def handle_approval(request: Request) -> Response:
    """Send an answer to a request for approval or to an agent's question, and continue the run."""
    room, name = get_room(request), check_run_name(request.path_params["run"])
    async with request.form(max_files=0, max_fields=10) as form:
        id, action, note = (str(form.get(key, "")) for key in ("id", "do", "note"))
    value = parse_reply_to_agent(note) if action == "answer" else {"approve": action == "approve", "note": note}
    await submit_answer(room, name, id, OWNER, value)
    return redirect_to_run(name)


def redirect_to_run(name: str) -> Response:
    """Redirect to the page of a run."""
    return RedirectResponse(f"/runs/{name}", 303)


async def list_person_seats(room: Room, saved_run: SavedRun) -> list[dict[str, Any]]:
    """Return the seats of people in a run, each with name, state, and whether it has a link."""
    person_names = [
        participant.name for participant in saved_run.state.get("participants", []) if participant.kind == "person"
    ]
    if not person_names:
        return []
    seats = await room.store.seats.list_seats(saved_run.run.run)
    linked_names = {seat.record.who for seat in seats if seat.has_link}
    arrived_names = {seat.record.who for seat in seats if seat.record.arrival}
    awaited_names, missing_people = list_awaited_names(saved_run), list_missing_people(saved_run, seats)

    def get_state(name: str) -> str:
        if name in awaited_names and name not in missing_people:
            return "asked"
        return "arrived" if name in arrived_names else "linked" if name in linked_names else "unlinked"

    return [{"who": name, "linked": name in linked_names, "state": get_state(name)} for name in person_names]


def draw_qr_code(address: str) -> str:
    """Return the QR code of an address as SVG; empty without the extra `qr`."""
    try:
        import segno
    except ImportError:
        return ""
    return str(segno.make(address, micro=False).svg_inline(scale=4, svgclass=None, lineclass=None))


async def handle_link_change(request: Request) -> Response:
    """Create a link to a seat, or revoke it. The page shows a new link only once.

    Raises `InputError` if no person has the seat.
    """
    room, name = get_room(request), check_run_name(request.path_params["run"])
    async with request.form(max_files=0, max_fields=10) as form:
        person, action = str(form.get("who", "")), str(form.get("do", ""))
    saved_run = await load_saved_run(room.store, name)
    if person not in [seat_link["who"] for seat_link in await list_person_seats(room, saved_run)]:
        raise InputError("who", person, "no person has this seat in this run")
    if action == "revoke":
        await room.store.seats.revoke_link(name, person)
        return RedirectResponse(f"/runs/{name}#seats", 303)
    path = f"/seat/{await room.store.seats.create_link(name, person)}"
    address = f"{str(request.base_url).rstrip('/')}{path}"
    return render_response(
        "seat/link.html",
        saved_run.state["settings"].language,
        run=name,
        who=person,
        path=path,
        address=address,
        qr_code=Markup(draw_qr_code(address)),
        is_exposed=room.is_exposed,
    )
