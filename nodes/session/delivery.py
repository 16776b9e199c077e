"""Delivery of a text to a session. The text takes the open turn, and the next speaker gets the floor."""

from collections.abc import Sequence
from datetime import datetime

from langgraph.config import get_stream_writer

from ...state import (
    AlreadySentError,
    SessionEvent,
    SessionStageState,
    SessionUpdate,
    Statement,
    check_send,
    repair_surrogates,
)
from ...storage import format_time
from .updates import advance_floor, get_session_state, merge_updates


def announce_events(logged_count: int, update: SessionUpdate) -> SessionUpdate:
    """Write the events of an update to the LangGraph stream, and return the update.

    An event is a mapping `{event, seq, who, turn, text, …}`. `logged_count`: number of earlier events; `seq` continues
    after it.
    """
    for seq, event in enumerate(
        fill_event_texts(update.get("events", []), update.get("history", [])), start=logged_count + 1
    ):
        get_stream_writer()({"event": event.kind} | event.model_dump(exclude={"kind"}) | {"seq": seq})
    return update


def fill_event_texts(events: Sequence[SessionEvent], history: Sequence[Statement]) -> list[SessionEvent]:
    """Return the events with the texts of their statements. The log itself does not store them."""
    texts = {statement.turn: statement.content for statement in history}
    return [
        event.model_copy(update={"text": texts.get(event.turn, "")}) if event.kind == "text" else event
        for event in events
    ]


def accept_text(state: SessionStageState, statement: Statement, turn: int | None, now: datetime) -> SessionUpdate:
    """Return the update that records a statement for the open turn, with its turn and round.

    Raises a `SendError` for an unacceptable text. `turn`: turn that the sender answers; `None` for the open turn.
    """
    session = get_session_state(state)
    if duplicate := find_sent_statement(state, statement.speaker, statement.message_id):
        raise AlreadySentError(statement.speaker, session.expected, f"recorded already, as turn {duplicate.turn}")
    check_send(session, statement.speaker, statement.content, turn)
    fields = {"turn": session.turn + 1, "round": max(1, state["round"]), "at": format_time(now)}
    recorded_statement = statement.model_copy(update=fields | {"content": repair_surrogates(statement.content.strip())})
    return merge_updates(
        SessionUpdate(history=[recorded_statement]), advance_floor(state, statement.speaker, "text", now)
    )


def find_sent_statement(state: SessionStageState, sender: str, message_id: str) -> Statement | None:
    """Return the statement that the message with this id became, or `None`."""
    matches = (
        statement
        for statement in reversed(state["history"])
        if statement.speaker == sender and statement.message_id == message_id
    )
    return next(matches, None) if message_id else None
