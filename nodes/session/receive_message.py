"""Turn of a person or program, in which the session waits for an acceptable message."""

from typing import Any

from pydantic import Field

from ...state import (
    MAX_TEXT_LENGTH,
    MESSAGE_ID_LENGTH,
    REASON_LENGTH,
    ClosedModel,
    SessionStageState,
    SessionUpdate,
    SessionView,
    Statement,
    compute_window_size,
    drop_silenced_statements,
    explain_waiting,
    find_next_deadline,
)
from ...storage import format_time, get_time
from .delivery import accept_text, announce_events
from .updates import end_session, get_session_state, restore_participant
from .waiting import REFUSAL, apply_after_time, ask_until_accepted


class SessionMessage(ClosedModel):
    """Message to a session that waits for a person or program."""

    speaker: str = Field(default="", max_length=80, description="Participant that sends the text or rejoins.")
    text: str = Field(default="", max_length=MAX_TEXT_LENGTH, description="Text of the message.")
    id: str = Field(
        default="",
        max_length=MESSAGE_ID_LENGTH,
        description="Client's id of the message, so that a repeated message counts once.",
    )
    turn: int | None = Field(
        default=None, ge=1, description="Turn of the text, as announced by the session; none: not checked."
    )
    close: bool = Field(default=False, description="Whether to close the session.")
    by: str = Field(default="", max_length=80, description="Participant that closes the session.")
    reason: str = Field(default="", max_length=REASON_LENGTH, description="Reason for closing.")
    tick: bool = Field(default=False, description="Whether only to check the deadlines.")
    back: bool = Field(default=False, description="Whether the speaker rejoins the rotation.")


async def receive_message(state: SessionStageState) -> SessionUpdate:
    """Wait for the next speaker. Accept a text, a closing, a return, or the passing of time.

    Reads topic, participants, settings, floor, round, turn, record, summary and the session's channels; writes
    history, incidents, floor, round, turn, events, status, since, hidden, warned.
    """
    last_incident = state["incidents"][-1] if state["incidents"] else None
    update = ask_until_accepted(
        lambda refusal: build_wait_payload(state, refusal),
        SessionMessage,
        lambda reply: apply_after_time(state, lambda current: _apply_reply(current, reply)),
        last_incident.what
        if last_incident and last_incident.consequence == REFUSAL and last_incident.at >= state["since"]
        else "",
    )
    return announce_events(len(state["events"]), update)


def _apply_reply(state: SessionStageState, reply: SessionMessage) -> SessionUpdate:
    if reply.tick:
        return SessionUpdate()
    if reply.close:
        return end_session(state, reply.by, reply.reason, get_time())
    if reply.back:
        return restore_participant(state, reply.speaker, get_time())
    statement = Statement(turn=1, round=1, speaker=reply.speaker, content=reply.text, message_id=reply.id)
    return accept_text(state, statement, reply.turn, get_time())


def build_wait_payload(state: SessionStageState, refusal: str) -> dict[str, Any]:
    """Return the payload of the interrupt that waits for a message.

    It contains the speaker, the turn, the deadline and the visible history. `refusal`: why the last message was
    rejected; empty without one.
    """
    session = get_session_state(state)
    deadline = find_next_deadline(session)
    return {
        "kind": "turn" if session.expected else "nobody",
        "expected": session.expected,
        "turn": session.turn + 1,
        "deadline": format_time(deadline) if deadline else None,
        "hidden": session.hidden,
        "note": "" if session.expected else explain_waiting(session),
        "refused": refusal,
        "topic": state["topic"],
    } | build_view(state, session)


def build_view(state: SessionStageState, session: SessionView) -> dict[str, Any]:
    """Return the history that a participant sees: a summary of the beginning, then the newest statements."""
    view_size = 2 * compute_window_size(session.settings, len(session.participants))
    start = max(state["summary"].statement_count, len(state["history"]) - view_size)
    lines = [
        {"turn": statement.turn, "speaker": statement.speaker, "text": statement.content}
        for statement in drop_silenced_statements(state["history"][start:])
    ]
    return {"summary": state["summary"].text, "view": lines}
