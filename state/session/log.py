"""Log of a session, and the part of its state that deadlines and message checks need."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from ..discussion import DiscussionSettings, LateSpeakerAction
from ..frozen_models import FrozenModel
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
SessionStatus = Literal["inviting", "open", "refused", "closed", "expired"]

MIN_PARTICIPANTS = 2


class SessionEvent(FrozenModel):
    """Entry of a session's log."""

    seq: int = Field(default=0, ge=0, description="Position in the log, from 1.")
    kind: EventKind = Field(description="Kind of event.")
    who: str = Field(default="", description="Participant of the event; empty: the session itself.")
    turn: int = Field(default=0, ge=0, description="Turn of the event; 0: outside turns.")
    text: str = Field(default="", description="Reason or remark; statements have their text in the history.")
    to: list[str] = Field(default_factory=list, description="Recipients of the event.")
    due_at: str = Field(default="", description="Deadline that passed, ISO 8601, UTC; empty without one.")
    recorded_at: str = Field(default="", description="Time of the record, ISO 8601, UTC.")
    turn_within: float | None = Field(
        default=None, gt=0, le=31_536_000, description="Length of a missed deadline in seconds; `None` without one."
    )
    action: LateSpeakerAction | None = Field(
        default=None, description="Consequence of a missed deadline: warn or hide."
    )


class SessionView(FrozenModel):
    """Part of a session's state that deadlines and message checks need."""

    participants: list[Participant]
    settings: DiscussionSettings
    status: SessionStatus
    expected: str = Field(default="", description="Participant that speaks next; may be empty.")
    turn: int = Field(default=0, ge=0, description="Number of turns so far.")
    awaited: list[str] = Field(default_factory=list, description="Participants with an unanswered invitation.")
    since: str = Field(default="", description="Start of the current turn or of the invitation, ISO 8601, UTC.")
    opened_at: str = Field(default="", description="Opening of the session, ISO 8601, UTC.")
    hidden: list[str] = Field(default_factory=list, description="Participants whose turns are skipped.")
    warned: list[float] = Field(default_factory=list, description="Times of the warnings, s after the turn's start.")

    @property
    def optional_awaited(self) -> list[str]:
        """Return the names of invited optional participants who have not answered yet."""
        return [
            participant.name
            for participant in self.participants
            if participant.name in self.awaited and not participant.required
        ]


def list_pending_invitees(events: Sequence[SessionEvent]) -> list[str]:
    """List the invited participants who have not answered."""
    responders = [event.who for event in events if event.kind in ("session_invite_ack", "session_invite_reject")]
    return [event.who for event in events if event.kind == "session_invite" and event.who not in responders]
