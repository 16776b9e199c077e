"""Page of a person's seat: statements, the open question, and unsent drafts."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from ....models.failures import RunStoppedError
from ....nodes.ask.ask_external import PASS_KEY
from ....state.session import SendError
from ...people import NotAskedError, OpenQuestion
from ...saved import SavedRun, Seat, load_saved_run
from ...saved.run_lock import RunLockedError
from ..guard import RateLimit
from ..rendering import detect_browser_language, make_translator, render_response
from ..room import Room, get_room
from ..run_events import compute_cursor, get_run_state
from .answer_form import InvalidFormError, PostedForm, get_label, get_widget, list_page_fields, parse_form
from .event_stream import SeatStream
from .submission import REFUSALS, rejoin_session, submit_answer
from .view import (
    build_question_key,
    build_seat_context,
    find_participant,
    find_question,
    has_stated,
    list_statements_of_others,
)

WRONG_TOKENS = RateLimit(30, 60.0)
"""Limit of invalid tokens of one address in a minute."""
STATEMENT_FIELD = "statement"
"""Name of the form field that holds a statement."""
MAX_SEAT_FIELDS = 3000
"""Largest number of fields in a form."""
MAX_TEXT_LENGTH = 100_000
"""Largest number of characters in a text."""


def require_seat(endpoint: Callable[[Request, Seat], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that answers for the seat of its token.

    For an invalid token it returns an error page.
    """

    async def answer_for_seat(request: Request) -> Response:
        if seat := await get_room(request).store.seats.find_seat(request.path_params["token"]):
            return await endpoint(request, seat)
        if not WRONG_TOKENS.try_acquire(request.client.host if request.client else ""):
            return PlainTextResponse("Too many tries; wait a minute.", 429)
        return render_response("seat/none.html", detect_browser_language(request), 404)

    return answer_for_seat


@require_seat
async def render_seat(request: Request, seat: Seat) -> Response:
    """Return the page of a seat."""
    return await _render_page(request, seat)


async def _render_page(
    request: Request, seat: Seat, remark: str = "", faults: Mapping[str, str] | None = None, code: int = 200
) -> Response:
    """Return the page of a seat.

    `remark`: message about the last action. `faults`: faults of the form by field.
    """
    room = get_room(request)
    saved = await load_saved_run(room.store, seat.run)
    me = find_participant(saved, seat.data.who)
    if not saved.begun or me is None:
        return render_response("seat/none.html", detect_browser_language(request), 404)
    language = me.language or saved.state["settings"].language
    question = find_question(saved, seat.data.who)
    has_draft = question is not None and seat.data.asked == build_question_key(question)
    return render_response(
        "seat/seat.html",
        language,
        code,
        token=request.path_params["token"],
        state=get_run_state(saved, await room.store.is_held(seat.run)),
        fields=list_page_fields(question["schema"]) if question and question["schema"] else [],
        given=seat.data.form if has_draft else {STATEMENT_FIELD: [seat.data.text]},
        late=seat.data.late,
        told=remark,
        faults=faults or {},
        label=get_label,
        widget=get_widget,
        longest=MAX_TEXT_LENGTH,
        **build_seat_context(saved, seat),
    )


@require_seat
async def handle_action(request: Request, seat: Seat) -> Response:
    """Answer, skip, save a draft, mark as read or rejoin; save the posted text first."""
    async with request.form(max_files=0, max_fields=MAX_SEAT_FIELDS) as form:
        posted = {key: [str(value) for value in form.getlist(key)] for key in form}
    room, action = get_room(request), _get_first(posted, "do")
    question = find_question(await load_saved_run(room.store, seat.run), seat.data.who)
    await _save_draft(room, seat, posted, question)
    try:
        if action in ("say", "pass"):
            await _submit_answer(room, seat, question, posted)
        elif action == "back":
            await rejoin_session(room, seat.run, seat.data.who)
    except (InvalidFormError, *REFUSALS, RunStoppedError) as refusal:
        return await _render_refusal(request, seat, refusal)
    return RedirectResponse(request.url.path, 303)


async def _save_draft(room: Room, seat: Seat, posted: PostedForm, question: OpenQuestion | None) -> None:
    """Save the posted text, and the number of statements that were read."""
    changes: dict[str, Any] = {}
    if "text" in posted:
        changes["text"] = _get_first(posted, "text").replace("\r\n", "\n")
    elif question and _get_first(posted, "id") == question["id"]:
        changes |= {
            "asked": build_question_key(question),
            "form": {key: values for key, values in posted.items() if key not in CONTROL_FIELDS},
        }
    if "heard" in posted and _get_first(posted, "do") != "keep" and _get_first(posted, "heard").isdecimal():
        changes["read"] = max(seat.data.read, int(_get_first(posted, "heard")[:9]))
    if changes:
        await room.store.seats.save_data(seat.seat, **changes)


REFUSAL_PHRASES: dict[type[Exception], str] = {NotAskedError: "too_late", SendError: "too_late", RunLockedError: "busy"}
"""Phrase of each exception that has a phrase of its own on the page."""

CONTROL_FIELDS = ("do", "id", "heard")
"""Fields of a page that belong to no answer."""


async def _submit_answer(room: Room, seat: Seat, question: OpenQuestion | None, posted: PostedForm) -> None:
    """Submit an answer, and delete its draft unless the question is asked again.

    Raises the exception that refuses the answer.
    """
    id, name = _get_first(posted, "id"), seat.data.who
    value: Any = _get_first(posted, "text").replace("\r\n", "\n").strip()
    if _get_first(posted, "do") == "pass":
        value = {PASS_KEY: True}
    elif question and question["id"] == id and question["schema"]:
        value = parse_form(question["schema"], posted, question["language"])
    elif not value and question and question["schema"] is None:
        raise InvalidFormError({"text": make_translator(question["language"])("seat.blank")})
    try:
        is_taken = await submit_answer(room, seat.run, id, name, value)
    except (NotAskedError, SendError):
        text = value if isinstance(value, str) else _get_first(posted, STATEMENT_FIELD)
        is_taken = bool(text) and has_stated(await load_saved_run(room.store, seat.run), name, text)
        if text and not is_taken:
            await room.store.seats.save_data(seat.seat, text=text, late=True)
        if not is_taken:
            raise
    next_question = find_question(await load_saved_run(room.store, seat.run), name)
    if is_taken and not (next_question and next_question["fault"]):
        has_text = isinstance(value, str) or STATEMENT_FIELD in value
        await room.store.seats.save_data(
            seat.seat, form={}, asked="", **({"text": "", "late": False} if has_text else {})
        )


async def _render_refusal(request: Request, seat: Seat, refusal: Exception) -> Response:
    """Return the page with the posted text and its fault, such as an answer that came too late."""
    seat = await get_room(request).store.seats.find_seat(request.path_params["token"]) or seat
    if isinstance(refusal, InvalidFormError):
        return await _render_page(request, seat, faults=refusal.faults, code=400)
    remark = next((key for error_type, key in REFUSAL_PHRASES.items() if isinstance(refusal, error_type)), str(refusal))
    return await _render_page(request, seat, remark, code=409)


@require_seat
async def stream_seat_events(request: Request, seat: Seat) -> Response:
    """Stream the events that a seat may see, from now or from the last event that its reader saw."""
    room, token = get_room(request), request.path_params["token"]
    after = request.headers.get("last-event-id") or request.query_params.get("after", "")

    async def load_state() -> tuple[SavedRun, bool] | None:
        if await room.store.seats.find_seat(token) is None:
            return None
        return await room.hub.load_latest(seat.run), await room.store.is_held(seat.run)

    saved = await room.hub.load_latest(seat.run)
    read_count = int(after[:9]) if after[:9].isdecimal() else len(list_statements_of_others(saved, seat.data.who))
    subscriber = await room.hub.add_subscriber(seat.run, compute_cursor(saved))
    return SeatStream(room.hub, seat.run, subscriber, seat.data.who, read_count, load_state)


def _get_first(posted: PostedForm, name: str) -> str:
    return next(iter(posted.get(name, [])), "")
