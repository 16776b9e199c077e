"""A text in a session: it takes the open turn, once, and the floor goes on."""

from collections.abc import Sequence
from datetime import datetime

from langgraph.config import get_stream_writer

from ...state.fence import storable
from ...state.session import AlreadySent, Event, validate_send
from ...state.session.channels import SessionStage, SessionUpdate
from ...state.statement import Statement
from ..clock import written
from .events import joined, moved_on, session_of


def announced(logged: int, news: SessionUpdate) -> SessionUpdate:
    """`news`, its events put on the stream as `{event, seq, who, turn, text, …}`; `logged` entries came before them."""
    for seq, event in enumerate(delivered(news.get("events", []), news.get("history", [])), start=logged + 1):
        told = event.model_dump(exclude={"kind"}) | {"seq": seq}
        get_stream_writer()({"event": event.kind} | told)
    return news


def delivered(events: Sequence[Event], history: Sequence[Statement]) -> list[Event]:
    """The events as those they are delivered to get them: a text with its words, which the log does not keep twice."""
    said = {one.turn: one.content for one in history}
    return [one.model_copy(update={"text": said.get(one.turn, "")}) if one.kind == "text" else one for one in events]


def sent(state: SessionStage, statement: Statement, turn: int | None, now: datetime) -> SessionUpdate:
    """A text takes the open turn; its turn and round are filled in. Raises the `Refusal` that fits.

    `turn`: the turn it is for, as its sender understood it; none: whichever is open.
    """
    session = session_of(state)
    if before := already_sent(state, statement.speaker, statement.message_id):
        raise AlreadySent(statement.speaker, session.expected, f"recorded already, as turn {before.turn}")
    validate_send(session, statement.speaker, statement.content, turn)
    place = {"turn": session.turn + 1, "round": max(1, state["round"]), "at": written(now)}
    content = storable(statement.content.strip())
    taken = statement.model_copy(update=place | {"content": content})
    return joined(SessionUpdate(history=[taken]), moved_on(state, statement.speaker, "text", now))


def already_sent(state: SessionStage, sender: str, message_id: str) -> Statement | None:
    """The statement a client's message became before, if it was delivered already."""
    mine = (one for one in reversed(state["history"]) if one.speaker == sender and one.message_id == message_id)
    return next(mine, None) if message_id else None
