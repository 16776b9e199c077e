"""A session as it stood at one moment."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from ...nodes.clock import written
from ...nodes.session.deliver import already_sent, delivered
from ...nodes.session.events import awaited, session_of
from ...nodes.session.hear import view
from ...state.ending import Outcome
from ...state.fence import storable
from ...state.session import (
    AlreadySent,
    Event,
    SessionState,
    Status,
    can_send,
    check_invited,
    deadline,
    unanswered,
    validate_send,
)
from ...state.session.channels import SessionStage
from ...state.statement import Statement, names


@dataclass(frozen=True)
class Snapshot:
    """What a session holds. `run`: its name in the database; `state`: its channels."""

    run: str
    state: Mapping[str, Any]

    @property
    def stage(self) -> SessionStage:
        """The session's channels, typed."""
        return cast(SessionStage, self.state)

    @property
    def session(self) -> SessionState:
        """The state that deadlines and senders are checked against."""
        return session_of(self.stage)

    @property
    def status(self) -> Status:
        """inviting, open, refused, closed or expired."""
        return self.stage["status"]

    @property
    def participant_order(self) -> list[str]:
        """The seats, the creator first."""
        return names(self.stage["participants"])

    @property
    def expected_next_speaker(self) -> str:
        """Whose turn it is; empty: nobody's."""
        return self.session.expected if self.status == "open" else ""

    @property
    def turn_count(self) -> int:
        """Turns taken so far, passed-over ones included."""
        return self.stage["turn"]

    @property
    def hidden(self) -> list[str]:
        """Who is out of the rotation."""
        return self.stage["hidden"]

    @property
    def invited(self) -> list[str]:
        """Who has not answered the invitation yet."""
        return awaited(self.stage)

    @property
    def until(self) -> str | None:
        """When the next expectation falls due or the session expires, ISO 8601, UTC; none: never."""
        due = deadline(self.session)
        return written(due) if due else None

    @property
    def history(self) -> list[Statement]:
        """Every statement, in order."""
        return self.stage["history"]

    @property
    def events(self) -> list[Event]:
        """The log, numbered from 1, with the words of every text."""
        return delivered(self.stage["events"], self.history)

    @property
    def outcome(self) -> Outcome | None:
        """How it ended; none while it goes on."""
        return cast(Outcome | None, self.state.get("outcome"))

    @property
    def view(self) -> dict[str, Any]:
        """What a participant may see: `summary` of the beginning, and `view`, the newest statements."""
        return view(self.stage, self.session)

    def can_send(self, speaker: str) -> bool:
        """Whether a text from `speaker` would be accepted."""
        return can_send(self.session, speaker)

    def validate_send(self, speaker: str, text: str, turn: int | None = None) -> None:
        """Raise the `SendRefused` that fits, or return."""
        validate_send(self.session, speaker, text, turn)

    def check_invited(self, who: str) -> None:
        """Raise the `SendRefused` that fits unless an invitation of `who` is open."""
        check_invited(self.session, unanswered(self.stage["events"]), who)

    def sent_before(self, speaker: str, text: str, message_id: str) -> Statement | None:
        """The statement this very message became before; raises `AlreadySent` if its id stands for another text."""
        found = already_sent(self.stage, speaker, message_id)
        if found and found.content != storable(text.strip()):
            remedy = f"the id {message_id!r} was used for another text, in turn {found.turn}; give each message its own"
            raise AlreadySent(speaker, self.expected_next_speaker, remedy)
        return found
