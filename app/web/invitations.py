"""Invitations of people: the seats of a run, and a link with a QR code to each."""

from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...state import InputError
from ..people.open_questions import list_awaited_names
from ..saved import SavedRun, check_run_name, load_saved_run
from .rendering import render_response
from .room import Room, get_room
from .seat.view import list_missing_people


async def list_person_seats(room: Room, saved_run: SavedRun) -> list[dict[str, Any]]:
    """List the seats of people in a run: the name, whether the seat has a link, and its state."""
    person_names = [
        participant.name for participant in saved_run.state.get("participants", []) if participant.kind == "person"
    ]
    if not person_names:
        return []
    seats = await room.store.seats.list_seats(saved_run.run.run)
    linked_names = {seat.data.who for seat in seats if seat.linked}
    arrived_names = {seat.data.who for seat in seats if seat.data.arrival}
    awaited_names, missing_people = list_awaited_names(saved_run), list_missing_people(saved_run, seats)

    def get_state(name: str) -> str:
        if name in awaited_names and name not in missing_people:
            return "asked"
        return "arrived" if name in arrived_names else "linked" if name in linked_names else "unlinked"

    return [{"who": name, "linked": name in linked_names, "state": get_state(name)} for name in person_names]


def draw_qr_code(address: str) -> str:
    """Draw the QR code of an address as SVG; empty without the extra `qr`."""
    try:
        import segno
    except ImportError:
        return ""
    svg: str = segno.make(address, micro=False).svg_inline(scale=4, svgclass=None, lineclass=None)
    return svg


async def handle_link_change(request: Request) -> Response:
    """Create a link to a seat, or revoke it. The page shows a new link only once."""
    room, name = get_room(request), check_run_name(request.path_params["run"])
    async with request.form(max_files=0, max_fields=10) as form:
        person, action = str(form.get("who", "")), str(form.get("do", ""))
    saved_run = await load_saved_run(room.store, name)
    if person not in [seat_link["who"] for seat_link in await list_person_seats(room, saved_run)]:
        raise InputError("who", person, "no person has such a seat in this run")
    if action == "revoke":
        await room.store.seats.revoke_link(name, person)
        return RedirectResponse(f"/runs/{name}#seats", 303)
    token = await room.store.seats.create_link(name, person)
    language = saved_run.state["settings"].language
    path = f"/seat/{token}"
    address = f"{str(request.base_url).rstrip('/')}{path}"
    return render_response(
        "seat/link.html",
        language,
        run=name,
        who=person,
        path=path,
        address=address,
        qr_code=Markup(draw_qr_code(address)),
        is_exposed=room.is_exposed,
    )
