"""The channels of a session that people, programs and models share."""

from collections.abc import Sequence
from typing import Annotated

from typing_extensions import TypedDict

from ..deliberation import Remembering, Stage, delta
from ..discussion import DiscussionRules
from ..positions.channels import PositionsResult
from ..requirements import Under
from ..window import Summary
from ..writes import Update
from .log import Event, Status


def gather_events(current: list[Event], writes: Sequence[list[Event]]) -> list[Event]:
    """The log with the news, numbered on."""
    log = list(current)
    for write in writes:
        for one in write:
            log.append(Event.model_validate(one).model_copy(update={"seq": len(log) + 1}))
    return log


class Sitting(TypedDict):
    """A session that people and programs share."""

    events: Annotated[list[Event], delta(gather_events)]
    """The log of the session, numbered, append-only."""
    status: Annotated[Status, Under(DiscussionRules)]
    """Whether it is inviting, open, refused, closed or expired."""
    since: str
    """When the expected speaker's turn, or the invitation, began, ISO 8601, UTC."""
    opened_at: str
    """When the session was opened, ISO 8601, UTC."""
    hidden: list[str]
    """Who is out of the rotation, in the order of leaving."""
    warned: list[float]
    """Expectations already warned about in this turn, in seconds."""


class SessionStage(Stage, Remembering, Sitting):
    """What a session's steps read."""


class SessionResult(PositionsResult):
    """What a session gives back."""

    events: list[Event]
    status: Status
    floor: list[str]
    turn: int
    summary: Summary


class SessionUpdate(Update, total=False):
    """What a session's steps write beside what all steps write."""

    events: list[Event]
    status: Status
    since: str
    opened_at: str
    hidden: list[str]
    warned: list[float]
