"""A session that people, programs and models share: its log, its seats, and whose turn comes next.

Pure: every function takes the session as it is and gives what happens next.
"""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ..discussion import Action, DiscussionRules
from ..statement import Participant

EventKind = Literal[
    "session_invite",
    "session_invite_ack",
    "session_invite_reject",
    "session_opened",
    "text",
    "turn_passed",
    "expectation_violated",
    "participant_hidden",
    "participant_restored",
    "session_closed",
    "session_expired",
]
Status = Literal["inviting", "open", "refused", "closed", "expired"]

LEAST = 2
"""Participants it takes to go on."""


class Event(BaseModel):
    """One entry of a session's log."""

    model_config = ConfigDict(frozen=True)

    seq: int = Field(default=0, ge=0, description="Place in the log, from 1; given when it is recorded.")
    kind: EventKind = Field(description="What happened.")
    who: str = Field(default="", description="Whom it concerns; empty: the session's own rules.")
    turn: int = Field(default=0, ge=0, description="Turn it belongs to; 0: none.")
    text: str = Field(default="", description="Reason or remark; a statement's text stands in the history.")
    to: list[str] = Field(default_factory=list, description="Who it was delivered to.")
    due_at: str = Field(default="", description="When it fell due, ISO 8601, UTC, where it was a matter of time.")
    recorded_at: str = Field(default="", description="When it was recorded, ISO 8601, UTC.")
    turn_within: float | None = Field(
        default=None, gt=0, le=31_536_000, description="Seconds there were for a turn, where they ran out."
    )
    action: Action | None = Field(default=None, description="What followed where they ran out: warn or hide.")


class SessionState(BaseModel):
    """What time and senders are judged by: a view of the session's channels."""

    model_config = ConfigDict(frozen=True)

    participants: list[Participant]
    rules: DiscussionRules
    status: Status
    expected: str = Field(default="", description="Who holds the floor; empty: nobody.")
    turn: int = Field(default=0, ge=0, description="Turns taken so far.")
    awaited: list[str] = Field(default_factory=list, description="Whose answers to an invitation are waited for.")
    since: str = Field(
        default="", description="When the expected speaker's turn, or the invitation, began, ISO 8601, UTC."
    )
    opened_at: str = Field(default="", description="When the session was opened, ISO 8601, UTC.")
    hidden: list[str] = Field(default_factory=list, description="Who is out of the rotation.")
    warned: list[float] = Field(default_factory=list, description="Warnings already given in this turn, in seconds.")

    @property
    def spared(self) -> list[str]:
        """Those awaited without whom the session can open."""
        return [one.name for one in self.participants if one.name in self.awaited and not one.required]


def unanswered(events: Sequence[Event]) -> list[str]:
    """Who was invited and has not answered."""
    answered = [one.who for one in events if one.kind in ("session_invite_ack", "session_invite_reject")]
    return [one.who for one in events if one.kind == "session_invite" and one.who not in answered]


def rotation(participants: Sequence[Participant]) -> list[str]:
    """The seats: the creator first, explicit orders next, then the order given."""
    creator, *others = participants
    placed = sorted(enumerate(others), key=lambda pair: (pair[1].order is None, pair[1].order or 0, pair[0]))
    return [creator.name, *(one.name for _, one in placed)]


def ends_by_itself(rules: DiscussionRules) -> bool:
    """Whether a cap on turns or rounds, or a time to live, ends the session though nobody closes it."""
    return rules.max_turns is not None or rules.max_rounds is not None or rules.ttl is not None


def around(seats: Sequence[str], last: str) -> list[str]:
    """All seats once around the table, beginning after `last`; from the first one if `last` is nobody's seat."""
    start = seats.index(last) + 1 if last in seats else 0
    return [*seats[start:], *seats[:start]]


def floor_after(
    participants: Sequence[Participant], rules: DiscussionRules, hidden: Sequence[str], last: str
) -> list[str]:
    """Who speaks next and after that, once around the table, when `last` has had the floor. Empty: the session waits.

    It waits when fewer than two are left. Where nothing would ever end it, models whom all people have left go on
    only up to the next empty seat: they would otherwise talk, and cost, for ever.
    """
    kinds = {one.name: one.kind for one in participants}
    left = [name for name in kinds if name not in hidden]
    if len(left) < LEAST:
        return []
    lap = around(list(kinds), last)
    if not ends_by_itself(rules) and all(kinds[name] == "model" for name in left):
        absent = next((place for place, name in enumerate(lap) if kinds[name] != "model"), len(lap))
        lap = lap[:absent]
    return [name for name in lap if name not in hidden]


def begins_anew(seats: Sequence[str], last: str, floor: Sequence[str]) -> bool:
    """Whether the turn after `last` is the first of a new round; where nobody has the floor, by the next seat."""
    following = [*floor, *around(seats, last)][0]
    return seats.index(following) <= seats.index(last)
