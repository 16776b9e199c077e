"""A person's seat: what may be seen from it, what is answered there, and what is kept until it is sent."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from ....nodes.asking.outside import PASS
from ....nodes.models.failures import Stopped
from ....state.session import SendRefused
from ...people import NotAsked, Waiting
from ...saved import Saved, Seat, load
from ...saved.lock_holder import Held
from ..course import cursor_of, standing
from ..guard import Rate
from ..room import Room, room_of
from ..words import language_of, saying, shown
from .entering import NOT_TAKEN, come_back, enter
from .form import Misfits, Posted, fields, label, value_of, widget
from .stream import SeatStream
from .view import asked_of, has_said, of_others, participant_of, parts, place_of

WRONG = Rate(30, 60.0)
"""Tokens that open nothing, of one address in a minute."""
LONG = "statement"
"""The field of a form that is a text as well."""
FIELDS = 3000
"""Fields of a form."""
LONGEST = 100_000
"""Characters of a text."""


def seated(answer: Callable[[Request, Seat], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """An address that answers for the seat that its token opens, and says where it opens none."""

    async def answered(request: Request) -> Response:
        if mine := await room_of(request).store.seats.find(request.path_params["token"]):
            return await answer(request, mine)
        if not WRONG.allows(request.client.host if request.client else ""):
            return PlainTextResponse("Too many tries; wait a minute.", 429)
        return shown("seat/none.html", language_of(request), 404)

    return answered


@seated
async def seat(request: Request, mine: Seat) -> Response:
    """The page of a seat."""
    return await _page(request, mine)


async def _page(
    request: Request, mine: Seat, said: str = "", faults: Mapping[str, str] | None = None, code: int = 200
) -> Response:
    """The page; `said`: what is told of what was just done, `faults`: what does not fit, by field."""
    room = room_of(request)
    saved = await load(room.store, mine.run)
    me = participant_of(saved, mine.kept.who)
    if not saved.begun or me is None:
        return shown("seat/none.html", language_of(request), 404)
    language = me.language or saved.state["rules"].language
    asked = asked_of(saved, mine.kept.who)
    known = asked is not None and mine.kept.asked == place_of(asked)
    return shown(
        "seat/seat.html",
        language,
        code,
        token=request.path_params["token"],
        state=standing(saved, await room.store.is_held(mine.run)),
        fields=fields(asked["schema"]) if asked and asked["schema"] else [],
        given=mine.kept.form if known else {LONG: [mine.kept.text]},
        late=mine.kept.late,
        told=said,
        faults=faults or {},
        label=label,
        widget=widget,
        longest=LONGEST,
        **parts(saved, mine),
    )


@seated
async def act(request: Request, mine: Seat) -> Response:
    """Answer, let pass, keep a draft, mark as read, or come back; what was written is kept first."""
    async with request.form(max_files=0, max_fields=FIELDS) as sent:
        given = {key: [str(one) for one in sent.getlist(key)] for key in sent}
    room, do = room_of(request), _one(given, "do")
    asked = asked_of(await load(room.store, mine.run), mine.kept.who)
    await _keep(room, mine, given, asked)
    try:
        if do in ("say", "pass"):
            await _answer(room, mine, asked, given)
        elif do == "back":
            await come_back(room, mine.run, mine.kept.who)
    except (Misfits, *NOT_TAKEN, Stopped) as no:
        return await _refused(request, mine, no)
    return RedirectResponse(request.url.path, 303)


async def _keep(room: Room, mine: Seat, given: Posted, asked: Waiting | None) -> None:
    """Keep what was written, and how much was read."""
    news: dict[str, Any] = {}
    if "text" in given:
        news["text"] = _one(given, "text").replace("\r\n", "\n")
    elif asked and _one(given, "id") == asked["id"]:
        news |= {"asked": place_of(asked), "form": {key: each for key, each in given.items() if key not in OWN}}
    if "heard" in given and _one(given, "do") != "keep" and _one(given, "heard").isdecimal():
        news["read"] = max(mine.kept.read, int(_one(given, "heard")[:9]))
    if news:
        await room.store.seats.keep(mine.seat, **news)


TOLD: dict[type[Exception], str] = {NotAsked: "too_late", SendRefused: "too_late", Held: "busy"}
"""What is told in words of its own, by what refuses an answer."""

OWN = ("do", "id", "heard")
"""The fields of a page that are no answer."""


async def _answer(room: Room, mine: Seat, asked: Waiting | None, given: Posted) -> None:
    """Enter an answer; what was kept of it is kept no longer, unless it is asked for again. Raises what refuses it."""
    id, who = _one(given, "id"), mine.kept.who
    value: Any = _one(given, "text").replace("\r\n", "\n").strip()
    if _one(given, "do") == "pass":
        value = {PASS: True}
    elif asked and asked["id"] == id and asked["schema"]:
        value = value_of(asked["schema"], given, asked["language"])
    elif not value and asked and asked["schema"] is None:
        raise Misfits({"text": saying(asked["language"])("seat.blank")})
    try:
        taken = await enter(room, mine.run, id, who, value)
    except (NotAsked, SendRefused):
        text = value if isinstance(value, str) else _one(given, LONG)
        taken = bool(text) and has_said(await load(room.store, mine.run), who, text)
        if text and not taken:
            await room.store.seats.keep(mine.seat, text=text, late=True)
        if not taken:
            raise
    again = asked_of(await load(room.store, mine.run), who)
    if taken and not (again and again["fault"]):
        says = isinstance(value, str) or LONG in value
        await room.store.seats.keep(mine.seat, form={}, asked="", **({"text": "", "late": False} if says else {}))


async def _refused(request: Request, mine: Seat, no: Exception) -> Response:
    """The page with what was written, and what was wrong with it, which may be that it came too late."""
    mine = await room_of(request).store.seats.find(request.path_params["token"]) or mine
    if isinstance(no, Misfits):
        return await _page(request, mine, faults=no.faults, code=400)
    said = next((key for kind, key in TOLD.items() if isinstance(no, kind)), str(no))
    return await _page(request, mine, said, code=409)


@seated
async def events(request: Request, mine: Seat) -> Response:
    """What happens from now on, or from where its reader left off, as far as it may be seen from the seat."""
    room, token = room_of(request), request.path_params["token"]
    after = request.headers.get("last-event-id") or request.query_params.get("after", "")

    async def look() -> tuple[Saved, bool] | None:
        if await room.store.seats.find(token) is None:
            return None
        return await room.hub.saved(mine.run), await room.store.is_held(mine.run)

    saved = await room.hub.saved(mine.run)
    heard = int(after[:9]) if after[:9].isdecimal() else len(of_others(saved, mine.kept.who))
    watcher = await room.hub.enter(mine.run, cursor_of(saved))
    return SeatStream(room.hub, mine.run, watcher, mine.kept.who, heard, look)


def _one(given: Posted, name: str) -> str:
    return next(iter(given.get(name, [])), "")
