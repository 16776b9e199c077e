"""Page of a person's seat: statements, the open question, and unsent drafts."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from ....models import RunStoppedError
from ....nodes.ask.ask_external import CONCESSION_KEY, PASS_KEY
from ....state.session import SendError
from ....storage import get_timestamp
from ...people import (
    MAX_ANSWER_LENGTH,
    NotAskedError,
    OpenQuestion,
    find_question,
    list_awaited_names,
    list_fields,
)
from ...report import build_document, format_security_policy, render_html
from ...saved import RunLockedError, SavedRun, Seat, get_run_state, load_saved_run
from .. import (
    RateLimit,
    Room,
    StreamEvent,
    Subscriber,
    admit_connection,
    compute_cursor,
    describe_next_step,
    detect_browser_language,
    get_room,
    make_translator,
    read_events,
    render_response,
    stream_to_subscriber,
)
from .answers import (
    REFUSALS,
    InvalidFormError,
    PostedForm,
    describe_answer,
    get_first_value,
    get_widget,
    parse_form,
    rejoin_session,
    submit_answer,
)
from .view import (
    build_question_key,
    build_seat_context,
    find_participant,
    get_concession_line,
    is_last_statement,
    list_statements_of_others,
)

WRONG_TOKENS = RateLimit(30, 60.0)
"""Maximum invalid tokens from one address per minute."""
STATEMENT_FIELD = "statement"


def require_seat(endpoint: Callable[[Request, Seat], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """Decorate an endpoint, which then receives the seat that the token in the path opens.

    A request with an invalid token gets an error page.
    """

    async def answer_for_seat(request: Request) -> Response:
        if seat := await get_room(request).store.seats.find_seat(request.path_params["token"]):
            admit_connection(request.scope)
            return await endpoint(request, seat)
        if not WRONG_TOKENS.try_acquire(request.client.host if request.client else ""):
            return PlainTextResponse("Too many attempts; wait a minute.", 429)
        return render_response("seat/none.html", detect_browser_language(request), 404)

    return answer_for_seat


async def render_seat(
    request: Request, seat: Seat, remark: str = "", faults: Mapping[str, str] | None = None, code: int = 200
) -> Response:
    """Return the page of a person's seat.

    `remark`: message about the last action. `faults`: faults of the form by field.
    """
    room = get_room(request)
    saved_run = await load_saved_run(room.store, seat.run)
    participant = find_participant(saved_run, seat.record.who)
    if not saved_run.has_begun or participant is None:
        return render_response("seat/none.html", detect_browser_language(request), 404)
    question = find_question(saved_run, seat.record.who)
    has_draft = question is not None and seat.record.question_key == build_question_key(question)
    return render_response(
        "seat/seat.html",
        participant.language or saved_run.state["settings"].language,
        code,
        token=request.path_params["token"],
        state=get_run_state(saved_run.build_row(), await room.store.is_held(seat.run)),
        fields=list_fields(question["schema"], question["language"], question["options"])
        if question and question["schema"]
        else [],
        given=seat.record.form if has_draft else {STATEMENT_FIELD: [seat.record.text]},
        late=seat.record.is_late,
        told=remark,
        faults=faults or {},
        widget=get_widget,
        longest=MAX_ANSWER_LENGTH,
        **build_seat_context(saved_run, seat, await room.store.seats.list_seats(seat.run)),
    )


async def render_seat_report(request: Request, seat: Seat) -> Response:
    """Return the report of a run that has ended, or redirect to the seat before its end."""
    saved_run = await load_saved_run(get_room(request).store, seat.run)
    if not saved_run.has_ended:
        return RedirectResponse(f"/seat/{request.path_params['token']}", 303)
    return HTMLResponse(
        render_html(build_document(saved_run)), headers={"content-security-policy": format_security_policy()}
    )


async def handle_action(request: Request, seat: Seat) -> Response:
    """Save the posted text. Then answer, skip, mark as read or rejoin, as the pressed button says."""
    async with request.form(max_files=0, max_fields=3000) as form:
        posted_form = {key: [str(value) for value in form.getlist(key)] for key in form}
    room, action = get_room(request), get_first_value(posted_form, "do")
    question = find_question(await load_saved_run(room.store, seat.run), seat.record.who)
    changes: dict[str, Any] = {}
    if "text" in posted_form:
        changes["text"] = get_first_value(posted_form, "text")
    elif question and get_first_value(posted_form, "id") == question["id"]:
        changes |= {
            "question_key": build_question_key(question),
            "form": {key: values for key, values in posted_form.items() if key not in ("do", "id", "heard")},
        }
    if action in ("take", "go", "say", "pass"):
        changes["arrival"] = "here" if action == "take" else "begun"
    if action != "keep" and (last_read := get_first_value(posted_form, "heard")).isdecimal():
        changes["read_count"] = max(seat.record.read_count, int(last_read[:9]))
    if changes:
        await room.store.seats.save_record(seat.seat, **changes)
    if action == "take":
        room.hub.publish_event(seat.run, "arrived", {"who": seat.record.who})
    try:
        if action in ("say", "pass"):
            await _submit_answer(room, seat, question, posted_form)
        elif action == "back":
            await rejoin_session(room, seat.run, seat.record.who)
    except (InvalidFormError, *REFUSALS, RunStoppedError) as refusal:
        seat = await get_room(request).store.seats.find_seat(request.path_params["token"]) or seat
        if isinstance(refusal, InvalidFormError):
            return await render_seat(request, seat, faults=refusal.faults, code=400)
        remark = next(
            (key for error_type, key in REFUSAL_PHRASES.items() if isinstance(refusal, error_type)), str(refusal)
        )
        return await render_seat(request, seat, remark, code=409)
    return RedirectResponse(request.url.path, 303)


REFUSAL_PHRASES: dict[type[Exception], str] = {NotAskedError: "too_late", SendError: "too_late", RunLockedError: "busy"}
"""Phrase keys of the exceptions that have a special phrase on the page."""


async def _submit_answer(room: Room, seat: Seat, question: OpenQuestion | None, posted_form: PostedForm) -> None:
    id, name = get_first_value(posted_form, "id"), seat.record.who
    value: Any = get_first_value(posted_form, "text").strip()
    is_ticked = bool(get_first_value(posted_form, CONCESSION_KEY))
    if is_ticked and (line := get_concession_line(await load_saved_run(room.store, seat.run), name)):
        value = {STATEMENT_FIELD: f"{value}\n\n{line}".strip(), CONCESSION_KEY: True}
    if get_first_value(posted_form, "do") == "pass":
        value = {PASS_KEY: True}
    elif question and question["id"] == id and question["schema"]:
        value = parse_form(question["schema"], posted_form, question["language"])
    elif not value and question and question["schema"] is None:
        raise InvalidFormError({"text": make_translator(question["language"])("seat.blank")})
    try:
        is_taken = await submit_answer(room, seat.run, id, name, value)
    except (NotAskedError, SendError):
        text = value if isinstance(value, str) else str(value.get(STATEMENT_FIELD, ""))
        is_taken = bool(text) and is_last_statement(await load_saved_run(room.store, seat.run), name, text)
        if text and not is_taken:
            await room.store.seats.save_record(seat.seat, text=text, is_late=True)
        if not is_taken:
            raise
    next_question = find_question(await load_saved_run(room.store, seat.run), name)
    if is_taken and not (next_question and next_question["fault"]):
        has_text = isinstance(value, str) or STATEMENT_FIELD in value
        purpose = "pass" if value == {PASS_KEY: True} else question["purpose"] if question else "statement"
        await room.store.seats.save_record(
            seat.seat,
            form={},
            question_key="",
            sent=purpose,
            sent_at=get_timestamp(),
            sent_lines=describe_answer(question, value) if question else [],
            **({"text": "", "is_late": False} if has_text else {}),
        )


async def stream_seat_events(request: Request, seat: Seat) -> Response:
    """Stream the events that a seat may see, from now or after the last event the browser received."""
    room, token = get_room(request), request.path_params["token"]
    last_event_id = request.headers.get("last-event-id") or request.query_params.get("after", "")

    async def load_state() -> tuple[SavedRun, bool] | None:
        if await room.store.seats.find_seat(token) is None:
            return None
        return await room.hub.load_latest_run(seat.run), await room.store.is_held(seat.run)

    saved_run = await room.hub.load_latest_run(seat.run)
    read_count = (
        int(last_event_id[:9])
        if last_event_id[:9].isdecimal()
        else len(list_statements_of_others(saved_run, seat.record.who))
    )
    subscriber = await room.hub.add_subscriber(seat.run, compute_cursor(saved_run))
    return stream_to_subscriber(
        room.hub, seat.run, subscriber, follow_seat(subscriber, seat.record.who, read_count, load_state)
    )


async def follow_seat(
    subscriber: Subscriber,
    name: str,
    read_count: int,
    load_state: Callable[[], Awaitable[tuple[SavedRun, bool] | None]],
) -> AsyncGenerator[bytes, None]:
    """Yield the events that a seat may see, after each event of the run.

    `read_count`: number of statements by other participants on the seat's page. `load_state`: loads the run, and
    whether a process executes it; returns `None` after the seat's link was revoked.
    """
    last_state: dict[str, Any] = {}
    async for part in read_events(subscriber):
        if part.startswith((b"event: doing", b"event: words")):
            continue
        if part.startswith(b"event: arrived"):
            yield part
            continue
        if not part.startswith((b"id:", b"event:")):
            yield part
        if (latest_state := await load_state()) is None:
            return
        saved_run, is_locked = latest_state
        statements = list_statements_of_others(saved_run, name)
        if len(statements) < read_count:
            yield StreamEvent("reload", {}).encode()
        for count, statement in enumerate(statements[read_count:], read_count + 1):
            yield StreamEvent(
                "said", {"turn": statement.turn, "who": statement.speaker, "text": statement.content}, (count,)
            ).encode()
        read_count = len(statements)
        question = find_question(saved_run, name)
        state = {
            "state": get_run_state(saved_run.build_row(), is_locked),
            "who": list_awaited_names(saved_run),
            "doing": describe_next_step(saved_run),
            "asked": question["id"] if question else "",
        }
        if state != last_state:
            last_state = state
            yield StreamEvent("waiting", state, (read_count,)).encode()
