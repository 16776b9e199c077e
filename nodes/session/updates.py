"""Updates of a session: time has passed, the session is closed, or a participant returns.

Each function takes the session's channels and the time, and returns an update. It neither waits nor calls a model.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, cast

from ...prompts import get_term
from ...state import (
    MISSED_TURN,
    DiscussionSettings,
    Expectation,
    Incident,
    SessionEvent,
    SessionStageState,
    SessionUpdate,
    SessionView,
    check_participation,
    check_seat,
    compute_due_time,
    compute_miss_time,
    compute_next_floor,
    is_expired,
    is_new_round,
    list_names,
    list_overdue_expectations,
    list_pending_invitees,
    repair_surrogates,
    rotate_seats_after,
)
from ...storage import format_time


def apply_session_update(state: SessionStageState, update: SessionUpdate) -> SessionStageState:
    """Return the state with `update` applied: its statements and events are appended."""
    logs = {
        "history": [*state["history"], *update.get("history", [])],
        "events": [*state["events"], *update.get("events", [])],
    }
    return cast(SessionStageState, {**state, **update, **logs})


def merge_updates(first: SessionUpdate, second: SessionUpdate) -> SessionUpdate:
    """Merge two updates into one, with the events of both. Other values of `second` take precedence."""
    events = [*first.get("events", []), *second.get("events", [])]
    return first | second | SessionUpdate(events=events) if events else first | second


def get_session_state(state: SessionStageState) -> SessionView:
    """Return the part of the session's state that deadlines and message checks need."""
    settings = state["settings"]
    assert isinstance(settings, DiscussionSettings)
    return SessionView(
        participants=state["participants"],
        settings=settings,
        status=state["status"],
        expected=state["floor"][0] if state["floor"] else "",
        turn=state["turn"],
        awaited=list_awaited_guests(state),
        since=state["since"],
        opened_at=state["opened_at"],
        hidden=state["hidden"],
        warned=state["warned"],
    )


def list_awaited_guests(state: SessionStageState) -> list[str]:
    """Return the invited participants whose answers the session still awaits, except hidden ones.

    After the opening, the list is empty.
    """
    if state["status"] != "inviting":
        return []
    return [name for name in list_pending_invitees(state["events"]) if name not in state["hidden"]]


def apply_time(state: SessionStageState, now: datetime) -> SessionUpdate:
    """Return the update for the time that has passed; empty if nothing is due.

    It contains the expiry of the session, a missed turn, or warnings and at most one hidden speaker. A model's time
    runs only during its call, so a model without a call is never late.
    """
    session = get_session_state(state)
    is_asked = any(
        participant.name == session.expected and participant.kind != "model" for participant in session.participants
    )
    violated_expectations = list_overdue_expectations(session, now) if is_asked or session.awaited else []
    miss_time = compute_miss_time(session)
    if not is_expired(session, now) and miss_time and miss_time <= now:
        incident = Incident(
            where="receive_message",
            who=session.expected,
            what=get_term(state["settings"].language, "noted", "late"),
            kind="late",
            consequence=MISSED_TURN,
            attempts=0,
            turn=session.turn + 1,
            round=max(1, state["round"]),
            at=format_time(now),
            severity="degraded",
        )
        return advance_floor(state, session.expected, "turn_passed", now) | SessionUpdate(incidents=[incident])
    if is_expired(session, now) or not violated_expectations:
        return expire_session(state, now)
    warned_delays = [expectation.turn_within for expectation in violated_expectations if expectation.action == "warn"]
    update = SessionUpdate(
        events=list_violations(session, violated_expectations, now), warned=[*session.warned, *warned_delays]
    )
    if violated_expectations[-1].action != "hide":
        return update
    return merge_updates(update, _hide_late_guests(state, now) if session.awaited else _hide_speaker(state, now))


def expire_session(state: SessionStageState, now: datetime) -> SessionUpdate:
    """Return the update that ends the session if it has expired; empty before its expiry."""
    if not is_expired(get_session_state(state), now):
        return SessionUpdate()
    event = SessionEvent(
        kind="session_expired", text="ttl", to=list_names(state["participants"]), recorded_at=format_time(now)
    )
    return SessionUpdate(events=[event], status="expired")


def list_violations(
    session: SessionView, violated_expectations: Sequence[Expectation], now: datetime
) -> list[SessionEvent]:
    """Return one log entry for each time limit that was exceeded and each participant who is late.

    The next speaker is late or, before the session opens, the invited participants without an answer.
    """
    return [
        SessionEvent(
            kind="expectation_violated",
            who=name,
            turn=session.turn + 1 if session.expected else 0,
            to=list_names(session.participants),
            due_at=format_time(compute_due_time(session, expectation)),
            recorded_at=format_time(now),
            turn_within=expectation.turn_within,
            action=expectation.action,
        )
        for expectation in violated_expectations
        for name in (
            [session.expected]
            if session.expected
            else (session.optional_awaited if expectation.action == "hide" else session.awaited)
        )
    ]


def _hide_late_guests(state: SessionStageState, now: datetime) -> SessionUpdate:
    """Return the update that hides optional invited participants who did not answer in time.

    The session opens without them, and they may return.
    """
    session, seats = get_session_state(state), list_names(state["participants"])
    events = [
        SessionEvent(kind="participant_hidden", who=name, to=seats, recorded_at=format_time(now))
        for name in session.optional_awaited
    ]
    return SessionUpdate(events=events, hidden=[*state["hidden"], *session.optional_awaited])


def _hide_speaker(state: SessionStageState, now: datetime) -> SessionUpdate:
    """Return the update that hides a late speaker. The next speaker's time starts now."""
    session, seats = get_session_state(state), list_names(state["participants"])
    name, hidden_names = session.expected, [*state["hidden"], session.expected]
    floor = compute_next_floor(session.participants, session.settings, hidden_names, name)
    turn, timestamp = session.turn + 1, format_time(now)
    event = SessionEvent(kind="participant_hidden", who=name, turn=turn, to=seats, recorded_at=timestamp)
    round = state["round"] + (bool(floor) and is_new_round(seats, name, floor))
    return SessionUpdate(events=[event], hidden=hidden_names, floor=floor, since=timestamp, warned=[], round=round)


def advance_floor(
    state: SessionStageState, speaker: str, kind: Literal["text", "turn_passed"], now: datetime
) -> SessionUpdate:
    """Return the update that ends a turn. The next speaker gets the floor, and its time starts now.

    `kind`: `text` for a taken turn, `turn_passed` for a missed one.
    """
    session, seats, timestamp = get_session_state(state), list_names(state["participants"]), format_time(now)
    turn, recipients = session.turn + 1, [name for name in seats if name != speaker]
    event = SessionEvent(kind=kind, who=speaker, turn=turn, to=recipients, recorded_at=timestamp)
    floor = compute_next_floor(session.participants, session.settings, session.hidden, speaker)
    round = state["round"] + is_new_round(seats, speaker, floor)
    return SessionUpdate(events=[event], floor=floor, turn=turn, round=round, since=timestamp, warned=[])


def restore_participant(state: SessionStageState, name: str, now: datetime) -> SessionUpdate:
    """Return the update that brings a hidden participant back to its seat. The turn stays the same.

    The update is empty if `name` is not hidden. Raises a `SendError` if `name` does not take part, or if the session is
    not open.
    """
    session, timestamp = get_session_state(state), format_time(now)
    check_participation(session, name)
    if name not in state["hidden"]:
        return SessionUpdate()
    hidden_names = [hidden_name for hidden_name in state["hidden"] if hidden_name != name]
    seats = list_names(state["participants"])
    event = SessionEvent(kind="participant_restored", who=name, turn=session.turn + 1, to=seats, recorded_at=timestamp)
    last_holder = (
        rotate_seats_after(seats, session.expected)[-2]
        if session.expected
        else next((event.who for event in reversed(state["events"]) if event.kind in ("text", "turn_passed")), "")
    )
    update = SessionUpdate(hidden=hidden_names, events=[event])
    update["floor"] = compute_next_floor(session.participants, session.settings, hidden_names, last_holder)
    return update if session.expected else update | SessionUpdate(since=timestamp, warned=[])


def end_session(state: SessionStageState, name: str, reason: str, now: datetime) -> SessionUpdate:
    """Return the update that closes the session for participant `name`, even before it opens.

    Raises a `SendError` for any other name, and if the session is already over.
    """
    session = get_session_state(state)
    (check_seat if session.status == "inviting" else check_participation)(session, name)
    seats = list_names(state["participants"])
    event = SessionEvent(
        kind="session_closed", who=name, text=repair_surrogates(reason), to=seats, recorded_at=format_time(now)
    )
    return SessionUpdate(events=[event], status="closed")
