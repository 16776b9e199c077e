"""Session for synchronous code."""

from collections.abc import Mapping
from typing import Any

from ...nodes.step import run_blocking
from ...state.ending import Outcome
from ...state.session import SessionEvent
from ...state.statement import Statement
from .async_api import AsyncSession
from .snapshot import SessionSnapshot


class Session:
    """Session for synchronous code.

    Each call and property loads the session from the database and records expired deadlines.
    """

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    @property
    def run(self) -> str:
        """Name of the session in the database. `open_session(run=...)` opens it again."""
        return self._session.run

    def load_snapshot(self) -> SessionSnapshot:
        """Load a snapshot of the whole session. Asks no model."""
        return run_blocking(self._session.load_snapshot())

    def can_send(self, speaker: str) -> bool:
        """Return whether the session would now accept a text of `speaker`. Asks no model."""
        return run_blocking(self._session.can_send(speaker))

    def validate_send(self, speaker: str, text: str, turn: int | None = None) -> None:
        """Raise a `SendError` if the session would now refuse the text. Asks no model."""
        run_blocking(self._session.validate_send(speaker, text, turn))

    def send(self, speaker: str, text: str, *, id: str = "", turn: int | None = None) -> Statement:
        """Send a text as the current turn. Models whose turn is next speak before this returns."""
        return run_blocking(self._session.send(speaker, text, id=id, turn=turn))

    def answer_invitation(self, name: str, accept: bool = True, reason: str = "") -> SessionSnapshot:
        """Accept or decline an invitation."""
        return run_blocking(self._session.answer_invitation(name, accept, reason))

    def close(self, by: str, reason: str = "") -> SessionSnapshot:
        """Close the session."""
        return run_blocking(self._session.close(by, reason))

    def restore_participant(self, name: str) -> SessionSnapshot:
        """Return a hidden participant to its old seat."""
        return run_blocking(self._session.restore_participant(name))

    def advance(self) -> SessionSnapshot:
        """Record expired deadlines and let models speak in their turn."""
        return run_blocking(self._session.advance())

    @property
    def status(self) -> str:
        """Status of the session: inviting, open, refused, closed or expired."""
        return self.load_snapshot().status

    @property
    def participant_order(self) -> list[str]:
        """Names of the participants, the creator first."""
        return self.load_snapshot().participant_order

    @property
    def expected_next_speaker(self) -> str:
        """Name of the expected speaker; empty if no speaker is expected."""
        return self.load_snapshot().expected_next_speaker

    expected = expected_next_speaker

    @property
    def turn_count(self) -> int:
        """Number of turns so far, including missed ones."""
        return self.load_snapshot().turn_count

    @property
    def history(self) -> list[Statement]:
        """All statements, in order."""
        return self.load_snapshot().history

    @property
    def events(self) -> list[SessionEvent]:
        """Entries of the log, numbered from 1."""
        return self.load_snapshot().events

    @property
    def view(self) -> Mapping[str, Any]:
        """View of a participant. `summary`: the first statements in short; `view`: the newest statements."""
        return self.load_snapshot().view

    @property
    def outcome(self) -> Outcome | None:
        """Outcome of the session; `None` while it is open."""
        return self.load_snapshot().outcome
