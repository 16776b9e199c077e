"""A person's or program's turn: the session waits, and takes only what the protocol allows."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ...state.history import shown_of
from ...state.session import ID_LENGTH, LONGEST, REASON_LENGTH, SessionState, deadline, waits_for
from ...state.session.channels import SessionStage, SessionUpdate
from ...state.statement import Statement
from ...state.window import recent
from ..clock import now, written
from .deliver import announced, sent
from .events import closed, restored, session_of
from .waiting import REFUSED, ask_outside, in_time


class SessionMessage(BaseModel):
    """What the session can be told while it waits."""

    model_config = ConfigDict(extra="forbid")

    speaker: str = Field(default="", max_length=80, description="Who sends the text, or comes back.")
    text: str = Field(default="", max_length=LONGEST, description="The text; not blank.")
    id: str = Field(default="", max_length=ID_LENGTH, description="The client's own id of the message; it counts once.")
    turn: int | None = Field(default=None, ge=1, description="The turn the text is for, as the session named it.")
    close: bool = Field(default=False, description="Close the session.")
    by: str = Field(default="", max_length=80, description="Who closes it.")
    reason: str = Field(default="", max_length=REASON_LENGTH, description="Why it is closed.")
    tick: bool = Field(default=False, description="Only look at the clock.")
    back: bool = Field(default=False, description="The speaker comes back into the rotation.")


async def hear(state: SessionStage) -> SessionUpdate:
    """Wait for whoever holds the floor, and take one text, one closing, one return, or the passing of time.

    Reads topic, participants, rules, floor, round, turn, record, summary and the session's channels; writes history,
    incidents, floor, round, turn, events, status, since, hidden, warned.
    """
    news = ask_outside(
        lambda refused: waiting(state, refused), SessionMessage, lambda reply: taken(state, reply), _last_refusal(state)
    )
    return announced(len(state["events"]), news)


def taken(state: SessionStage, reply: SessionMessage) -> SessionUpdate:
    """The news of one reply: time first, then what was sent. Raises `Refusal` when nothing changes by it."""
    return in_time(state, lambda by_now: _done(by_now, reply))


def _done(state: SessionStage, reply: SessionMessage) -> SessionUpdate:
    if reply.tick:
        return SessionUpdate()
    if reply.close:
        return closed(state, reply.by, reply.reason, now())
    if reply.back:
        return restored(state, reply.speaker, now())
    statement = Statement(turn=1, round=1, speaker=reply.speaker, content=reply.text, message_id=reply.id)
    return sent(state, statement, reply.turn, now())


def waiting(state: SessionStage, refused: str) -> dict[str, Any]:
    """What the session says while it waits: who is expected, for which turn, until when, and what they may see."""
    session = session_of(state)
    until = deadline(session)
    return {
        "kind": "turn" if session.expected else "nobody",
        "expected": session.expected,
        "turn": session.turn + 1,
        "until": written(until) if until else None,
        "hidden": session.hidden,
        "note": "" if session.expected else waits_for(session),
        "refused": refused,
        "topic": state["topic"],
    } | view(state, session)


def view(state: SessionStage, session: SessionState) -> dict[str, Any]:
    """What a participant may see: a summary of the beginning, and the newest statements word for word."""
    newest = 2 * recent(session.rules, len(session.participants))
    start = max(state["summary"].folded, len(state["history"]) - newest)
    lines = [
        {"turn": one.turn, "speaker": one.speaker, "text": one.content} for one in shown_of(state["history"][start:])
    ]
    return {"summary": state["summary"].text, "view": lines}


def _last_refusal(state: SessionStage) -> str:
    """The refusal that ended the last waiting, if that was what ended it."""
    last = state["incidents"][-1] if state["incidents"] else None
    return last.what if last and last.consequence == REFUSED and last.at >= state["since"] else ""
