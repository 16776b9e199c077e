"""Open a session: seat the participants, invite them, hear their answers, and begin."""

from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from ...state.deliberation import Given
from ...state.discussion import DiscussionRules
from ...state.fence import storable
from ...state.session import LEAST, REASON_LENGTH, Event, check_invited, deadline, floor_after, unanswered
from ...state.session.channels import SessionStage, SessionUpdate
from ...state.statement import names
from ..clock import now, stamp, written
from .deliver import announced
from .events import awaited, closed, session_of
from .seats import can_end
from .waiting import ask_outside, in_time


class Invitation(BaseModel):
    """An answer to an invitation."""

    model_config = ConfigDict(extra="forbid")

    who: str = Field(
        default="",
        max_length=80,
        validation_alias=AliasChoices("who", "speaker", "by"),
        description="The participant who answers.",
    )
    accept: bool = Field(default=True, description="Whether it takes part.")
    reason: str = Field(default="", max_length=REASON_LENGTH, description="Why not.")
    close: bool = Field(default=False, description="Call the session off before it has opened.")
    tick: bool = Field(default=False, description="Only look at the clock.")


async def invite(state: Given) -> SessionUpdate:
    """Invite everyone but the creator; models answer for themselves.

    Reads participants; writes every channel of a session.
    """
    at, (creator, *others) = stamp(), state["participants"]
    invited = [Event(kind="session_invite", who=one.name, to=[one.name], recorded_at=at) for one in others]
    answered = [
        Event(kind="session_invite_ack", who=one.name, to=[creator.name], recorded_at=at)
        for one in others
        if one.kind == "model"
    ]
    news = SessionUpdate(events=[*invited, *answered])
    return announced(0, news) | SessionUpdate(status="inviting", since=at, opened_at="", hidden=[], warned=[])


async def await_answers(state: SessionStage) -> SessionUpdate:
    """Wait for the next answer to an invitation, for somebody to call the session off, or for time to pass.

    Reads topic, participants, rules, floor, turn, history, incidents and the session's channels; writes events, hidden,
    warned, incidents and, where a required participant declines or it ends, the status.
    """

    def asking(refused: str) -> dict[str, Any]:
        waiting, until = awaited(state), deadline(session_of(state))
        told = {"kind": "invitation", "topic": state["topic"], "waiting_for": waiting, "refused": refused}
        return told | {"until": written(until) if until else None}

    def taken(answer: Invitation) -> SessionUpdate:
        return in_time(state, lambda by_now: answered(by_now, answer))

    return announced(len(state["events"]), ask_outside(asking, Invitation, taken))


def answered(state: SessionStage, answer: Invitation) -> SessionUpdate:
    """The news of one answer. Raises a `Refusal` for one nobody asked for."""
    if answer.tick:
        return SessionUpdate()
    if answer.close:
        return closed(state, answer.who, answer.reason, now())
    check_invited(session_of(state), unanswered(state["events"]), answer.who)
    said = Event(
        kind="session_invite_ack" if answer.accept else "session_invite_reject",
        who=answer.who,
        text=storable(answer.reason),
        to=[state["participants"][0].name],
        recorded_at=stamp(),
    )
    required = next(one.required for one in state["participants"] if one.name == answer.who)
    if required and not answer.accept:
        return SessionUpdate(events=[said], status="refused")
    return SessionUpdate(events=[said], hidden=[name for name in state["hidden"] if name != answer.who])


async def begin(state: SessionStage, rules: DiscussionRules) -> SessionUpdate:
    """Open the session: nobody is waited for. With fewer than two, or nobody to end it, it is refused.

    Reads participants, rules, events, hidden; writes participants, events, status, floor, round, since, opened_at,
    warned.
    """
    at, gone = stamp(), declined(state)
    staying = [one for one in state["participants"] if one.name not in gone]
    if len(staying) < LEAST or not can_end(staying, rules):
        return SessionUpdate(status="refused")
    opened = Event(kind="session_opened", who=staying[0].name, to=names(staying), recorded_at=at)
    floor = floor_after(staying, rules, state["hidden"], "")
    news = SessionUpdate(events=[opened], status="open", floor=floor, round=1, since=at, opened_at=at, warned=[])
    return announced(len(state["events"]), news | SessionUpdate(participants=staying) if gone else news)


def declined(state: SessionStage) -> list[str]:
    """Who declined the invitation."""
    return [one.who for one in state["events"] if one.kind == "session_invite_reject"]


def after_invitation(state: SessionStage) -> str:
    """From an answer to the next one, to the opening, or out when a required participant declined."""
    if state["status"] != "inviting":
        return "declined"
    return "waiting" if awaited(state) else "all answered"
