"""A person's or program's turn: the session waits, and takes only what the protocol allows."""

from typing import Any

from langgraph.config import get_stream_writer
from langgraph.types import interrupt
from pydantic import BaseModel, ConfigDict, Field

from ..state.deliberation import SessionStage, Update
from ..state.incident import Incident
from ..state.session import Refusal, StaleTurn, deadline
from .clock import now, stamp
from .sitting import already_sent, closed, restored, sent, session_of, time_passes, written

PATIENCE = 20
"""Refusals after which the step ends with them recorded, and waits anew."""


class Reply(BaseModel):
    """What the session can be told while it waits."""

    model_config = ConfigDict(extra="forbid")

    speaker: str = Field(default="", max_length=80, description="Who sends the text, or comes back.")
    text: str = Field(default="", max_length=1_000_000, description="The text; not blank.")
    id: str = Field(
        default="", max_length=200, description="The client's own id of the message; it counts once."
    )
    turn: int | None = Field(default=None, ge=1, description="The turn the text is for, as the session named it.")
    close: bool = Field(default=False, description="Close the session.")
    by: str = Field(default="", max_length=80, description="Who closes it.")
    reason: str = Field(default="", max_length=2000, description="Why it is closed.")
    tick: bool = Field(default=False, description="Only look at the clock.")
    back: bool = Field(default=False, description="The speaker comes back into the rotation.")


async def hear(state: SessionStage) -> Update:
    """Wait for whoever holds the floor, and take one text, one closing, one return, or the passing of time.

    Reads the session's channels and history; writes history, events, floor, turn, status, incidents.
    """
    refusals: list[Refusal] = []
    while len(refusals) < PATIENCE:
        reply = interrupt(waiting(state, refusals[-1:]), response_schema=Reply)
        try:
            news = taken(state, reply)
        except Refusal as refusal:
            refusals.append(refusal)
            continue
        for event in news.get("events", []):
            get_stream_writer()({"event": event.kind, "who": event.who, "turn": event.turn, "text": event.text})
        return news
    noted = [Incident(where="hear", who=one.sender, what=str(one), kind=one.reason, at=stamp()) for one in refusals]
    return Update(incidents=[one.model_copy(update={"consequence": "refused"}) for one in noted])


def waiting(state: SessionStage, refused: list[Refusal]) -> dict[str, Any]:
    """What the session says while it waits: who is expected, for which turn, until when, and what they may see."""
    session = session_of(state)
    until = deadline(session)
    return {
        "kind": "turn" if session.expected else "nobody",
        "expected": session.expected,
        "turn": session.turn + 1,
        "until": written(until) if until else None,
        "hidden": session.hidden,
        "refused": str(refused[0]) if refused else "",
        "topic": state["topic"],
        "summary": state["summary"].text,
        "view": [
            {"turn": one.turn, "speaker": one.speaker, "text": one.content}
            for one in state["history"][state["summary"].folded :]
        ],
    }


def taken(state: SessionStage, reply: Reply) -> Update:
    """The news of one reply: time first, then what was sent. Raises `Refusal` when nothing changes by it."""
    moment = now()
    passed = time_passes(state, moment)
    if passed and (passed.get("status") or passed.get("hidden") or reply.tick):
        return passed
    if reply.close:
        return _joined(passed, closed(state, reply.by, reply.reason, moment))
    if reply.back:
        return _joined(passed, restored(state, reply.speaker, moment))
    if reply.tick or already_sent(state, reply.speaker, reply.id):
        return passed
    if reply.turn is not None and reply.turn != state["turn"] + 1:
        raise StaleTurn(reply.speaker, session_of(state).expected, f"turn {reply.turn} is not open any more")
    return _joined(passed, sent(state, reply.speaker, reply.text, reply.id, moment))


def _joined(first: Update, then: Update) -> Update:
    events = [*first.get("events", []), *then.get("events", [])]
    return first | then | Update(events=events)
