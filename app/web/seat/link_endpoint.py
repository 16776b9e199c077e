"""Links to seats, created and revoked on a run's page by the operator of the room."""

from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ....state.errors import InputError
from ...saved import SavedRun, check_run_name, load_saved_run
from ..rendering import render_response
from ..room import Room, get_room


class SeatLink(NamedTuple):
    """Seat of a person. `linked`: there is a link to it."""

    who: str
    linked: bool


async def list_links(room: Room, saved_run: SavedRun) -> list[SeatLink]:
    """List the seats of people in a run, each with the state of its link."""
    person_names = [
        participant.name for participant in saved_run.state.get("participants", []) if participant.kind == "person"
    ]
    seats = await room.store.seats.list_seats(saved_run.run.run) if person_names else []
    linked_names = {seat.data.who for seat in seats if seat.linked}
    return [SeatLink(name, name in linked_names) for name in person_names]


async def handle_link_change(request: Request) -> Response:
    """Create a link to a seat, or revoke it. The page shows a new link only once."""
    room, name = get_room(request), check_run_name(request.path_params["run"])
    async with request.form(max_files=0, max_fields=10) as form:
        person, action = str(form.get("who", "")), str(form.get("do", ""))
    saved_run = await load_saved_run(room.store, name)
    if person not in [seat_link.who for seat_link in await list_links(room, saved_run)]:
        raise InputError("who", person, "no person has such a seat in this run")
    if action == "revoke":
        await room.store.seats.revoke_link(name, person)
        return RedirectResponse(f"/runs/{name}#seats", 303)
    token = await room.store.seats.create_link(name, person)
    language = saved_run.state["settings"].language
    return render_response(
        "seat/link.html", language, run=name, who=person, path=f"/seat/{token}", root=str(request.base_url)
    )
