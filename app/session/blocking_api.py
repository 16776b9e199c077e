"""Session for synchronous code."""

from collections.abc import Mapping
from typing import Any

from ...nodes.step import run_blocking
from ...state import Outcome, Statement
from ...state.session import SessionEvent
from .async_api import AsyncSession
from .snapshot import SessionSnapshot


def _read_from_snapshot(name: str) -> Any:
    return property(lambda session: getattr(session.load_snapshot(), name), doc=getattr(SessionSnapshot, name).__doc__)


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
        """Load a snapshot of the session, without calling a model."""
        return run_blocking(self._session.load_snapshot())

    def can_send(self, speaker: str) -> bool:
        """Return whether the session would now accept a text from `speaker`, without calling a model."""
        return run_blocking(self._session.can_send(speaker))

    def validate_send(self, speaker: str, text: str, turn: int | None = None) -> None:
        """Check that the session would now accept the text, without calling a model. Raises a `SendError`."""
        run_blocking(self._session.validate_send(speaker, text, turn))

    def send(self, speaker: str, text: str, *, id: str = "", turn: int | None = None) -> Statement:
        """Send a text as the current turn. Models that are next speak before this returns."""
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
        """Record expired deadlines and let models take their turns."""
        return run_blocking(self._session.advance())

    status: str = _read_from_snapshot("status")
    participant_order: list[str] = _read_from_snapshot("participant_order")
    expected_next_speaker: str = _read_from_snapshot("expected_next_speaker")
    expected: str = expected_next_speaker
    turn_count: int = _read_from_snapshot("turn_count")
    history: list[Statement] = _read_from_snapshot("history")
    events: list[SessionEvent] = _read_from_snapshot("events")
    view: Mapping[str, Any] = _read_from_snapshot("view")
    outcome: Outcome | None = _read_from_snapshot("outcome")
