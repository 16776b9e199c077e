"""Snapshot of a session at one moment."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from ...nodes.session.delivery import fill_event_texts, find_sent_statement
from ...nodes.session.receive_message import build_view
from ...nodes.session.updates import get_session_state, list_awaited_guests
from ...state import (
    AlreadySentError,
    Outcome,
    SessionEvent,
    SessionStageState,
    SessionStatus,
    SessionView,
    Statement,
    can_send,
    check_send,
    find_next_deadline,
    list_names,
    repair_surrogates,
)
from ...storage import format_time


@dataclass(frozen=True)
class SessionSnapshot:
    """State of a session at one moment.

    `run`: name of the session in the database. `state`: its channels.
    """

    run: str
    state: Mapping[str, Any]

    @property
    def stage(self) -> SessionStageState:
        """Channels of the session, with their types."""
        return cast(SessionStageState, self.state)

    @property
    def session(self) -> SessionView:
        """State of the session for checks of deadlines and senders."""
        return get_session_state(self.stage)

    @property
    def status(self) -> SessionStatus:
        """Status of the session: inviting, open, refused, closed or expired."""
        return self.stage["status"]

    @property
    def participant_order(self) -> list[str]:
        """Names of the participants, the creator first."""
        return list_names(self.stage["participants"])

    @property
    def expected_next_speaker(self) -> str:
        """Name of the participant whose turn it is; may be empty."""
        return self.session.expected if self.status == "open" else ""

    @property
    def turn_count(self) -> int:
        """Number of turns so far, including missed ones."""
        return self.stage["turn"]

    @property
    def hidden(self) -> list[str]:
        """Names of the participants who are out of the rotation."""
        return self.stage["hidden"]

    @property
    def invited(self) -> list[str]:
        """Names of the participants with an unanswered invitation."""
        return list_awaited_guests(self.stage)

    @property
    def deadline(self) -> str | None:
        """Next deadline of the speaker or the session, ISO 8601 in UTC; `None` without a deadline."""
        time = find_next_deadline(self.session)
        return format_time(time) if time else None

    @property
    def history(self) -> list[Statement]:
        """All statements, in order."""
        return self.stage["history"]

    @property
    def events(self) -> list[SessionEvent]:
        """Entries of the log, numbered from 1, with the text of every statement."""
        return fill_event_texts(self.stage["events"], self.history)

    @property
    def outcome(self) -> Outcome | None:
        """Outcome of the session; `None` while it is open."""
        return cast(Outcome | None, self.state.get("outcome"))

    @property
    def view(self) -> dict[str, Any]:
        """Participants' view of the session. `summary`: short form of the first statements.

        `view`: the newest statements.
        """
        return build_view(self.stage, self.session)

    def can_send(self, speaker: str) -> bool:
        """Return whether the session would accept a text of `speaker`."""
        return can_send(self.session, speaker)

    def validate_send(self, speaker: str, text: str, turn: int | None = None) -> None:
        """Raise a `SendError` if the session would refuse the text."""
        check_send(self.session, speaker, text, turn)

    def find_sent_statement(self, speaker: str, text: str, message_id: str) -> Statement | None:
        """Return the statement already recorded under this message id, or `None`.

        Raises `AlreadySentError` if the recorded statement has another text.
        """
        statement = find_sent_statement(self.stage, speaker, message_id)
        if statement and statement.content != repair_surrogates(text.strip()):
            remedy = (
                f"the id {message_id!r} belongs to another text, in turn {statement.turn}; give each message its own id"
            )
            raise AlreadySentError(speaker, self.expected_next_speaker, remedy)
        return statement
