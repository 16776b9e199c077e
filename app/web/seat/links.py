"""Links to seats, made and revoked on a run's page by whoever holds the room."""

from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ....state.refused import Refused
from ...saved import Saved, checked, load
from ..room import Room, room_of
from ..words import shown


class Link(NamedTuple):
    """A person's seat, and whether there is a link to it."""

    who: str
    linked: bool


async def links(room: Room, saved: Saved) -> list[Link]:
    """The seats of a run that people sit at."""
    people = [one.name for one in saved.state.get("participants", []) if one.kind == "person"]
    every = await room.store.seats.of_run(saved.run.run) if people else []
    linked = {one.kept.who for one in every if one.linked}
    return [Link(who, who in linked) for who in people]


async def change(request: Request) -> Response:
    """Make a link to a seat, which is shown this once, or revoke it."""
    room, name = room_of(request), checked(request.path_params["run"])
    async with request.form(max_files=0, max_fields=10) as sent:
        who, do = str(sent.get("who", "")), str(sent.get("do", ""))
    saved = await load(room.store, name)
    if who not in [one.who for one in await links(room, saved)]:
        raise Refused("who", who, "no person has such a seat in this run")
    if do == "revoke":
        await room.store.seats.revoke(name, who)
        return RedirectResponse(f"/runs/{name}#seats", 303)
    token = await room.store.seats.link(name, who)
    language = saved.state["rules"].language
    return shown("seat/link.html", language, run=name, who=who, path=f"/seat/{token}", root=str(request.base_url))
