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
        """Return the session's channels, typed."""
        return cast(SessionStageState, self.state)

    @property
    def session(self) -> SessionView:
        """Return the part of the session's state that deadlines and message checks need."""
        return get_session_state(self.stage)

    @property
    def status(self) -> SessionStatus:
        """Return the status of the session: inviting, open, refused, closed or expired."""
        return self.stage["status"]

    @property
    def participant_order(self) -> list[str]:
        """Return the names of the participants, the creator first."""
        return list_names(self.stage["participants"])

    @property
    def expected_next_speaker(self) -> str:
        """Return the name of the participant whose turn it is; empty if the session is not open."""
        return self.session.expected if self.status == "open" else ""

    @property
    def turn_count(self) -> int:
        """Return the number of turns so far, including missed ones."""
        return self.stage["turn"]

    @property
    def hidden(self) -> list[str]:
        """Return the names of the participants whom the session currently skips."""
        return self.stage["hidden"]

    @property
    def invited(self) -> list[str]:
        """Return the names of the participants who have not answered their invitation."""
        return list_awaited_guests(self.stage)

    @property
    def deadline(self) -> str | None:
        """Return the next deadline of the speaker or the session, ISO 8601 in UTC; `None` without one."""
        time = find_next_deadline(self.session)
        return format_time(time) if time else None

    @property
    def history(self) -> list[Statement]:
        """Return all statements in order."""
        return self.stage["history"]

    @property
    def events(self) -> list[SessionEvent]:
        """Return the entries of the log, numbered from 1, with the text of every statement."""
        return fill_event_texts(self.stage["events"], self.history)

    @property
    def outcome(self) -> Outcome | None:
        """Return the outcome of the session; `None` while it is open."""
        return cast(Outcome | None, self.state.get("outcome"))

    @property
    def view(self) -> dict[str, Any]:
        """Return the history that participants see.

        The key `summary` is a short form of the first statements, and `view` the newest statements.
        """
        return build_view(self.stage, self.session)

    def can_send(self, speaker: str) -> bool:
        """Return whether the session would accept a text from `speaker`."""
        return can_send(self.session, speaker)

    def validate_send(self, speaker: str, text: str, turn: int | None = None) -> None:
        """Check that the session would accept a text from `speaker`. Raises a `SendError` otherwise.

        `turn`: turn that the text answers; `None` for the open turn.
        """
        check_send(self.session, speaker, text, turn)

    def find_sent_statement(self, speaker: str, text: str, message_id: str) -> Statement | None:
        """Return the statement that was saved under this message id, or `None`.

        Raises `AlreadySentError` if the saved statement has another text.
        """
        statement = find_sent_statement(self.stage, speaker, message_id)
        if statement and statement.content != repair_surrogates(text.strip()):
            remedy = (
                f"the id {message_id!r} belongs to another text, in turn {statement.turn}; give each message its own id"
            )
            raise AlreadySentError(speaker, self.expected_next_speaker, remedy)
        return statement
