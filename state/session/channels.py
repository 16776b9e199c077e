"""Channels of a session that people, programs and models share."""

from collections.abc import Sequence
from typing import Annotated

from typing_extensions import TypedDict

from ..channel_requirements import SettingsCondition
from ..deliberation import DecisionState, LookupState, MemoryState, ProgressState, make_delta_channel
from ..discussion import DiscussionSettings
from ..history_view import Summary
from ..positions.channels import PositionsResult
from ..schemas import Update
from .log import SessionEvent, SessionStatus


def gather_events(current: list[SessionEvent], writes: Sequence[list[SessionEvent]]) -> list[SessionEvent]:
    """Return the log with the new events appended and numbered."""
    log = list(current)
    for write in writes:
        for event in write:
            log.append(SessionEvent.model_validate(event).model_copy(update={"seq": len(log) + 1}))
    return log


class SessionLogState(TypedDict):
    """Channels of a session's log and of its deadlines."""

    events: Annotated[list[SessionEvent], make_delta_channel(gather_events)]
    """The log of the session, numbered, append-only."""
    status: Annotated[SessionStatus, SettingsCondition(DiscussionSettings)]
    """Status: inviting, open, refused, closed or expired."""
    since: str
    """Start of the expected speaker's turn, or of the invitation, ISO 8601, UTC."""
    opened_at: str
    """Opening of the session, ISO 8601, UTC."""
    hidden: list[str]
    """Participants out of the rotation, in the order of leaving."""
    warned: list[float]
    """Time limits of this turn that already caused a warning, in seconds."""


class SessionStageState(ProgressState, MemoryState, SessionLogState):
    """Channels that a session's steps read."""


class SessionTurnState(SessionStageState, LookupState):
    """Channels of the step in which a model speaks."""


class SessionClosingState(SessionStageState, DecisionState):
    """Channels that the last step of a session reads."""


class SessionResult(PositionsResult):
    """Output of a session."""

    events: list[SessionEvent]
    status: SessionStatus
    floor: list[str]
    turn: int
    summary: Summary


class SessionUpdate(Update, total=False):
    """Channel values that a step of a session may write, in addition to those of all steps."""

    events: list[SessionEvent]
    status: SessionStatus
    since: str
    opened_at: str
    hidden: list[str]
    warned: list[float]
