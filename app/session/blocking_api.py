"""Open session for code that is not async."""

from collections.abc import Mapping
from typing import Any

from ...nodes.step import run_blocking
from ...state.ending import Outcome
from ...state.session import SessionEvent
from ...state.statement import Statement
from .async_api import AsyncSession
from .snapshot import SessionSnapshot


class Session:
    """An open session. Each call and property loads it from the database and records expired deadlines."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    @property
    def run(self) -> str:
        """Its name in the database; `open_session(run=...)` opens it again."""
        return self._session.run

    def load_snapshot(self) -> SessionSnapshot:
        """Load the whole session at one time. Asks no model."""
        return run_blocking(self._session.load_snapshot())

    def can_send(self, speaker: str) -> bool:
        """Return whether a text of `speaker` would be accepted now. Asks no model."""
        return run_blocking(self._session.can_send(speaker))

    def validate_send(self, speaker: str, text: str, turn: int | None = None) -> None:
        """Raise the `SendError` that applies and names the expected speaker, or return. Asks no model."""
        run_blocking(self._session.validate_send(speaker, text, turn))

    def send(self, speaker: str, text: str, *, id: str = "", turn: int | None = None) -> Statement:
        """Take the open turn with a text; models whose turn is next speak before this returns."""
        return run_blocking(self._session.send(speaker, text, id=id, turn=turn))

    def answer_invitation(self, name: str, accept: bool = True, reason: str = "") -> SessionSnapshot:
        """Accept an invitation or decline it."""
        return run_blocking(self._session.answer_invitation(name, accept, reason))

    def close(self, by: str, reason: str = "") -> SessionSnapshot:
        """Close the session."""
        return run_blocking(self._session.close(by, reason))

    def restore_participant(self, name: str) -> SessionSnapshot:
        """Bring a hidden participant back to its old seat."""
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
        """The seats, the creator first."""
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
        """Every statement, in order."""
        return self.load_snapshot().history

    @property
    def events(self) -> list[SessionEvent]:
        """The log, numbered from 1."""
        return self.load_snapshot().events

    @property
    def view(self) -> Mapping[str, Any]:
        """View of a participant: `summary` of the beginning, and `view`, the newest statements."""
        return self.load_snapshot().view

    @property
    def outcome(self) -> Outcome | None:
        """Outcome of the session; `None` while it is open."""
        return self.load_snapshot().outcome
