"""Session for synchronous code."""

from collections.abc import Callable, Coroutine, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from ...nodes.step import run_blocking
from ...state import Outcome, Statement
from ...state.session import SessionEvent
from .async_api import AsyncSession
from .snapshot import SessionSnapshot

P = ParamSpec("P")
T = TypeVar("T")


def _wait_for(
    method: Callable[Concatenate[AsyncSession, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate["Session", P], T]:
    """Make a method that runs the method of the same name in async code and waits for its result."""

    @wraps(method)
    def call_method(self: "Session", /, *arguments: P.args, **options: P.kwargs) -> T:
        return run_blocking(method(self._session, *arguments, **options))

    return call_method


def _read_from_snapshot(name: str) -> Any:
    return property(lambda session: getattr(session.load_snapshot(), name), doc=getattr(SessionSnapshot, name).__doc__)


class Session:
    """Session for synchronous code, with the methods of `AsyncSession`.

    Each call and property loads the session from the database and records expired deadlines.
    """

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    @property
    def run(self) -> str:
        """Name of the session in the database. `open_session(run=...)` opens it again."""
        return self._session.run

    load_snapshot = _wait_for(AsyncSession.load_snapshot)
    can_send = _wait_for(AsyncSession.can_send)
    validate_send = _wait_for(AsyncSession.validate_send)
    send = _wait_for(AsyncSession.send)
    answer_invitation = _wait_for(AsyncSession.answer_invitation)
    close = _wait_for(AsyncSession.close)
    restore_participant = _wait_for(AsyncSession.restore_participant)
    advance = _wait_for(AsyncSession.advance)
    status: str = _read_from_snapshot("status")
    participant_order: list[str] = _read_from_snapshot("participant_order")
    expected_next_speaker: str = _read_from_snapshot("expected_next_speaker")
    expected: str = expected_next_speaker
    turn_count: int = _read_from_snapshot("turn_count")
    history: list[Statement] = _read_from_snapshot("history")
    events: list[SessionEvent] = _read_from_snapshot("events")
    view: Mapping[str, Any] = _read_from_snapshot("view")
    outcome: Outcome | None = _read_from_snapshot("outcome")
