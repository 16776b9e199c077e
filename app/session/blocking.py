"""The same session for code that is not async."""

from collections.abc import Mapping
from typing import Any

from ...nodes.step import wait_for
from ...state.ending import Outcome
from ...state.session import Event
from ...state.statement import Statement
from .asynchronous import AsyncSession
from .snapshot import Snapshot


class Session:
    """An open session; each call and property reads it from the database and records what has expired."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    @property
    def run(self) -> str:
        """Its name in the database: `open_session(run=...)` takes it up again."""
        return self._session.run

    def snapshot(self) -> Snapshot:
        """Everything there is to see, at one time. Asks no model."""
        return wait_for(self._session.snapshot())

    def can_send(self, speaker: str) -> bool:
        """Whether a text from `speaker` would be accepted now. Asks no model."""
        return wait_for(self._session.can_send(speaker))

    def validate_send(self, speaker: str, text: str, turn: int | None = None) -> None:
        """Raise the `SendRefused` that fits, naming who is expected; or return. Asks no model."""
        wait_for(self._session.validate_send(speaker, text, turn))

    def send(self, speaker: str, text: str, *, id: str = "", turn: int | None = None) -> Statement:
        """Take the open turn with a text; models whose turn is next speak before this returns."""
        return wait_for(self._session.send(speaker, text, id=id, turn=turn))

    def answer(self, who: str, accept: bool = True, reason: str = "") -> Snapshot:
        """Acknowledge an invitation, or decline it."""
        return wait_for(self._session.answer(who, accept, reason))

    def close(self, by: str, reason: str = "") -> Snapshot:
        """Close the session."""
        return wait_for(self._session.close(by, reason))

    def restore(self, who: str) -> Snapshot:
        """Bring a hidden participant back to its old seat."""
        return wait_for(self._session.restore(who))

    def tick(self) -> Snapshot:
        """Record what has expired by now, and let models speak whose turn it is."""
        return wait_for(self._session.tick())

    @property
    def status(self) -> str:
        """inviting, open, refused, closed or expired."""
        return self.snapshot().status

    @property
    def participant_order(self) -> list[str]:
        """The seats, the creator first."""
        return self.snapshot().participant_order

    @property
    def expected_next_speaker(self) -> str:
        """Whose turn it is; empty: nobody's."""
        return self.snapshot().expected_next_speaker

    expected = expected_next_speaker

    @property
    def turn_count(self) -> int:
        """Turns taken so far, passed-over ones included."""
        return self.snapshot().turn_count

    @property
    def history(self) -> list[Statement]:
        """Every statement, in order."""
        return self.snapshot().history

    @property
    def events(self) -> list[Event]:
        """The log, numbered from 1."""
        return self.snapshot().events

    @property
    def view(self) -> Mapping[str, Any]:
        """What a participant may see: `summary` of the beginning, and `view`, the newest statements."""
        return self.snapshot().view

    @property
    def outcome(self) -> Outcome | None:
        """How it ended; none while it goes on."""
        return self.snapshot().outcome
