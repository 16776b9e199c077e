"""Open a session: seat the participants, invite them, hear their answers, and begin."""

from collections.abc import Sequence

from langgraph.config import get_config
from langgraph.types import interrupt
from pydantic import BaseModel, ConfigDict, Field

from ..state.deliberation import Given, SessionStage, Update
from ..state.refusal import Refused
from ..state.rules import DiscussionRules, Rules
from ..state.session import Event, lap, rotation
from ..state.statement import Participant, names
from .cast import check_names
from .clock import stamp


class Invitation(BaseModel):
    """An answer to an invitation."""

    model_config = ConfigDict(extra="forbid")

    who: str = Field(max_length=80, description="The participant who answers.")
    accept: bool = Field(description="Whether it takes part.")
    reason: str = Field(default="", max_length=2000, description="Why not.")


def around_the_table(
    given: Sequence[Participant], personas: dict[str, str], rules: Rules
) -> tuple[list[Participant], list[str]]:
    """The seats of a session, the creator first. A session that could never end is refused."""
    check_names(given)
    assert isinstance(rules, DiscussionRules)
    people = list(given) or [Participant(name=name) for name in ("Ada", "Ben", "Cleo")]
    if len(people) < 2:
        raise Refused("participants", names(people), "a session takes two or more")
    if unknown := sorted(set(personas) - set(names(people))):
        raise Refused("personas", unknown, f"personas go by participant: {', '.join(names(people))}")
    if not can_end(people, rules):
        raise Refused("ttl", None, "a session of models only never ends by itself: give max_turns, max_rounds or ttl")
    if any(one.kind != "model" for one in people) and not get_config()["configurable"].get("__pregel_checkpointer"):
        raise Refused("checkpointer", None, "people and programs are waited for: compile the graph with a checkpointer")
    seats = {one.name: one for one in people}
    ordered = [seats[name] for name in rotation(people)]
    return [one.model_copy(update={"persona": personas.get(one.name) or one.persona}) for one in ordered], []


def can_end(people: Sequence[Participant], rules: DiscussionRules) -> bool:
    """Whether somebody or something can end the session: a person, a program, a cap, a time to live, a model's say."""
    capped = rules.max_turns is not None or rules.max_rounds is not None or rules.ttl is not None
    return capped or any(one.kind != "model" for one in people)


async def invite(state: Given) -> Update:
    """Invite everyone but the creator; models answer for themselves.

    Reads cast; writes events and every channel of a session.
    """
    now, (creator, *others) = stamp(), state["participants"]
    invited = [Event(kind="session_invite", who=one.name, to=[one.name], recorded_at=now) for one in others]
    answered = [
        Event(kind="session_invite_ack", who=one.name, to=[creator.name], recorded_at=now)
        for one in others
        if one.kind == "model"
    ]
    return Update(events=[*invited, *answered], status="inviting", since="", opened_at="", hidden=[], warned=[])


async def await_answers(state: SessionStage) -> Update:
    """Wait for the next answer to an invitation.

    Reads cast and events; writes events and, where a required participant declines, the status.
    """
    waiting, refused = unanswered(state), ""
    while True:
        asked = {"kind": "invitation", "topic": state["topic"], "waiting_for": waiting, "refused": refused}
        answer = interrupt(asked, response_schema=Invitation)
        if answer.who in waiting:
            break
        refused = f"{answer.who} has no open invitation; waiting for {', '.join(waiting)}"
    kind = "session_invite_ack" if answer.accept else "session_invite_reject"
    said = Event.model_validate(
        {"kind": kind, "who": answer.who, "text": answer.reason, "to": [state["participants"][0].name]}
        | {"recorded_at": stamp()}
    )
    one = next(each for each in state["participants"] if each.name == answer.who)
    if not answer.accept and one.required:
        return Update(events=[said], status="refused")
    return Update(events=[said])


async def begin(state: SessionStage) -> Update:
    """Open the session: all have answered.

    Reads cast and events; writes participants, events, status, floor, round and the first turn's beginning.
    """
    now, gone = stamp(), declined(state)
    staying = [one for one in state["participants"] if one.name not in gone]
    opened = Event(kind="session_opened", who=staying[0].name, to=names(staying), recorded_at=now)
    if len(staying) < 2:
        return Update(status="refused", participants=staying)
    return Update(
        participants=staying,
        events=[opened],
        status="open",
        floor=lap(names(staying), [], staying[0].name),
        round=1,
        since=now,
        opened_at=now,
    )


def unanswered(state: SessionStage) -> list[str]:
    """Who was invited and has not answered yet."""
    answered = [one.who for one in state["events"] if one.kind in ("session_invite_ack", "session_invite_reject")]
    invited = [one.who for one in state["events"] if one.kind == "session_invite"]
    return [name for name in invited if name not in answered]


def declined(state: SessionStage) -> list[str]:
    """Who declined the invitation."""
    return [one.who for one in state["events"] if one.kind == "session_invite_reject"]


def after_invitation(state: SessionStage) -> str:
    """From an answer to the next one, to the opening, or out when a required participant declined."""
    if state["status"] == "refused":
        return "declined"
    return "waiting" if unanswered(state) else "all answered"
