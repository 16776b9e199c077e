"""A session that people, programs and models share: who may send, what time does, and the log of what happened.

Pure: every function takes the session as it is and the time it is asked at, and gives what happens next.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from .rules import DiscussionRules, Expectation
from .statement import Participant

EventKind = Literal[
    "session_invite",
    "session_invite_ack",
    "session_invite_reject",
    "session_opened",
    "text",
    "expectation_violated",
    "participant_hidden",
    "participant_restored",
    "turn_passed",
    "refused",
    "session_closed",
    "session_expired",
]
Status = Literal["inviting", "open", "refused", "closed", "expired"]


class Event(BaseModel):
    """One entry of a session's log."""

    model_config = ConfigDict(frozen=True)

    seq: int = Field(default=0, ge=0, description="Place in the log, from 1; given when it is recorded.")
    kind: EventKind = Field(description="What happened.")
    who: str = Field(default="", description="Whom it concerns.")
    turn: int = Field(default=0, ge=0, description="Turn it belongs to; 0: none.")
    text: str = Field(default="", description="Reason, remark or text; a statement's text stands in the history.")
    to: list[str] = Field(default_factory=list, description="Who it was delivered to.")
    due_at: str = Field(default="", description="When it fell due, ISO 8601, UTC, where it was a matter of time.")
    recorded_at: str = Field(default="", description="When it was recorded, ISO 8601, UTC.")


class Session(BaseModel):
    """What time and senders are judged by: a view of the session's channels."""

    model_config = ConfigDict(frozen=True)

    participants: list[Participant]
    rules: DiscussionRules
    status: Status
    expected: str = Field(default="", description="Who holds the floor; empty: nobody.")
    turn: int = Field(default=0, ge=0, description="Turns taken so far.")
    since: str = Field(default="", description="When the expected speaker's turn began, ISO 8601, UTC.")
    opened_at: str = Field(default="", description="When the session was opened, ISO 8601, UTC.")
    hidden: list[str] = Field(default_factory=list, description="Who is out of the rotation.")
    warned: list[float] = Field(default_factory=list, description="Warnings already given in this turn, in seconds.")


class Refusal(ValueError):
    """A send that changes nothing. `expected` is whose turn it is."""

    reason = "refused"

    def __init__(self, sender: str, expected: str, remedy: str) -> None:
        super().__init__(f"{sender or 'nobody'}: {remedy}" + (f" (expected: {expected})" if expected else ""))
        self.sender, self.expected = sender, expected


class OutOfTurn(Refusal):
    """A text from a participant who does not hold the floor."""

    reason = "out_of_turn"


class NotAParticipant(Refusal):
    """A text from somebody who does not take part."""

    reason = "not_a_participant"


class SessionOver(Refusal):
    """A text to a session that is closed, expired or was never opened."""

    reason = "session_over"


class BlankText(Refusal):
    """A text without a visible character."""

    reason = "blank_text"


class StaleTurn(Refusal):
    """A text for a turn that has been taken already."""

    reason = "stale_turn"


def validate_send(session: Session, sender: str, text: str, turn: int | None = None) -> None:
    """Raise the `Refusal` that fits, or return: the send would be accepted. Changes nothing, asks nobody."""
    known = [one.name for one in session.participants]
    if session.status != "open":
        raise SessionOver(sender, "", f"the session is {session.status}")
    if sender not in known:
        raise NotAParticipant(sender, session.expected, f"not a participant; they are {', '.join(known)}")
    if turn is not None and turn != session.turn + 1:
        raise StaleTurn(sender, session.expected, f"turn {turn} is not open; open is turn {session.turn + 1}")
    if sender != session.expected:
        raise OutOfTurn(sender, session.expected, "it is not your turn")
    if not any(character.isprintable() and not character.isspace() for character in text):
        raise BlankText(sender, session.expected, "the text is blank")


def can_send(session: Session, sender: str) -> bool:
    """Whether a text from `sender` would be accepted now."""
    return session.status == "open" and session.expected == sender


def rotation(participants: Sequence[Participant]) -> list[str]:
    """The seats: the creator first, explicit orders next, then the order given."""
    creator, *others = participants
    placed = sorted(enumerate(others), key=lambda pair: (pair[1].order is None, pair[1].order or 0, pair[0]))
    return [creator.name, *(one.name for _, one in placed)]


def lap(seats: Sequence[str], hidden: Sequence[str], first: str) -> list[str]:
    """One lap of the rotation, hidden ones left out: from `first` on, or from the next one visible after it."""
    start = seats.index(first) if first in seats else 0
    return [name for name in [*seats[start:], *seats[:start]] if name not in hidden]


def next_lap(seats: Sequence[str], hidden: Sequence[str], last: str) -> list[str]:
    """The lap that begins with whoever comes after `last`."""
    start = seats.index(last) + 1 if last in seats else 0
    return [name for name in [*seats[start:], *seats[:start]] if name not in hidden]


def instant(stamp: str) -> datetime:
    """A recorded time."""
    return datetime.fromisoformat(stamp)


def expires_at(session: Session) -> datetime | None:
    """When the session's time is over; `None`: never, or not yet opened."""
    if session.rules.ttl is None or not session.opened_at:
        return None
    return instant(session.opened_at) + timedelta(seconds=session.rules.ttl)


def overdue(session: Session, now: datetime) -> list[Expectation]:
    """The expectations of the expected speaker that fell due and were not yet acted on, in the order of falling due.

    Nothing follows a hiding: whoever comes next has a clock of their own.
    """
    if session.status != "open" or not session.expected or not session.since:
        return []
    waited = (now - instant(session.since)).total_seconds()
    found: list[Expectation] = []
    for one in sorted(session.rules.expectations, key=lambda each: each.turn_within):
        if waited >= one.turn_within and not (one.action == "warn" and one.turn_within in session.warned):
            found.append(one)
            if one.action == "hide":
                break
    return found


def deadline(session: Session) -> datetime | None:
    """When the next expectation of the expected speaker falls due, or the session expires; `None`: never."""
    waiting = [
        instant(session.since) + timedelta(seconds=one.turn_within)
        for one in session.rules.expectations
        if session.since and session.expected and one.turn_within not in session.warned
    ]
    end = expires_at(session)
    return min([*waiting, *([end] if end else [])], default=None)


def is_expired(session: Session, now: datetime) -> bool:
    """Whether the session's time is over."""
    end = expires_at(session)
    return session.status == "open" and end is not None and now >= end
