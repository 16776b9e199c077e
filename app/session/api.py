"""Sessions for async and for synchronous code, saved in the database of runs."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar
from uuid import uuid4

from langgraph.types import Command

from ...models import RunStoppedError
from ...nodes.node_runnables import run_blocking
from ...nodes.session.updates import end_session, restore_participant
from ...state import (
    REASON_LENGTH,
    Outcome,
    SessionEvent,
    Settings,
    Statement,
    check_invitation,
    check_message,
    clip_text,
    list_pending_invitees,
    repair_surrogates,
)
from ...storage import get_time
from ..saved import Store, make_thread_config, open_database
from .locking import (
    GraphDriver,
    LockedSession,
    SnapshotCheck,
    has_sent_invitations,
    load_session,
    lock_session,
    make_current_snapshot,
)
from .snapshot import SessionSnapshot

EventHandler = Callable[[SessionEvent], Awaitable[None] | None]
"""Function that receives each new entry of the log, in order."""


class AsyncSession:
    """Session with methods for async code.

    Every method loads the session from the database, so that several clients and processes can share it. All methods
    hold the run's lock while they write.

    `on_event`: function that receives the log entries after entry `last_seq`. `driver`: function that runs the graph;
    `None` runs it without display.

    Reading methods record expired deadlines and call no model. `send`, `restore_participant`, `answer_invitation` and
    `advance` also let models take their turns.
    """

    def __init__(
        self,
        run: str,
        db: str,
        context: Settings,
        on_event: EventHandler | None = None,
        last_seq: int = 0,
        driver: GraphDriver | None = None,
    ) -> None:
        self.run, self.db, self.driver = run, db, driver or self._run_graph
        self._context, self._on_event, self._last_reported_seq = context, on_event, last_seq

    async def load_snapshot(self) -> SessionSnapshot:
        """Load the session and return a snapshot, with expired deadlines recorded."""
        async with open_database(self.db, create=False) as store:
            saved_run = await load_session(store, self.run)
        if not has_sent_invitations(saved_run):
            return await self.advance()
        snapshot = make_current_snapshot(saved_run)
        if len(snapshot.events) > len(saved_run.state["events"]):
            try:
                async with self._hold_session() as session:
                    return session.snapshot
            except RunStoppedError:  # another client holds the lock and will record them
                return snapshot
        await self._report_events(snapshot.events)
        return snapshot

    async def can_send(self, speaker: str) -> bool:
        """Return whether the session would now accept a text from `speaker`, without calling a model."""
        return (await self.load_snapshot()).can_send(speaker)

    async def validate_send(self, speaker: str, text: str, turn: int | None = None) -> None:
        """Check that the session would now accept the text, without calling a model.

        Raises a `SendError` otherwise. The error names the participant whose turn it is.
        """
        (await self.load_snapshot()).validate_send(speaker, text, turn)

    async def send(self, speaker: str, text: str, *, id: str = "", turn: int | None = None) -> Statement:
        """Send a text as the current turn. Models that are next speak before this returns.

        `id`: the client's id of the message. A message sent twice counts once and returns the same statement. `turn`:
        the turn of the text. Raises a `SendError`, which leaves the session unchanged. Raises `RunStoppedError` if a
        model's endpoint fails: the text is saved, and `advance` continues.
        """

        def check_send(snapshot: SessionSnapshot) -> None:
            if not snapshot.find_sent_statement(speaker, text, id):
                snapshot.validate_send(speaker, text, turn)

        check_message(speaker, text, id, turn)
        async with self._hold_session(check_send) as session:
            if sent_statement := session.snapshot.find_sent_statement(speaker, text, id):
                return sent_statement
            await session.run_models()
            session.snapshot.validate_send(speaker, text, turn)
            message_id = id or uuid4().hex
            next_turn = session.snapshot.turn_count + 1
            message = {"speaker": speaker, "text": repair_surrogates(text), "id": message_id, "turn": next_turn}
            await session.run_graph(Command(resume=message))
            if statement := session.snapshot.find_sent_statement(speaker, text, message_id):
                return statement
            session.snapshot.validate_send(speaker, text, turn)
            raise RunStoppedError(
                f"run = {self.run}: your text was not recorded; read the newest statements, and send it again"
            )

    async def answer_invitation(self, name: str, accept: bool = True, reason: str = "") -> SessionSnapshot:
        """Accept or decline an invitation, and return a snapshot.

        Raises `SendError` if no invitation is open.
        """
        async with self._hold_session() as session:
            snapshot = session.snapshot
            check_invitation(snapshot.session, list_pending_invitees(snapshot.state["events"]), name)
            reply = {"who": name, "accept": accept, "reason": clip_text(repair_surrogates(reason), REASON_LENGTH)}
            await session.run_graph(Command(resume=reply))
            return session.snapshot

    async def answer_approval(self, id: str, value: Any) -> SessionSnapshot:
        """Answer the question of a model that needs the owner's approval. `id`: id of the question.

        Return a snapshot of the session.
        """
        async with self._hold_session() as session:
            await session.run_graph(Command(resume={id: value}))
            return session.snapshot

    async def close(self, by: str, reason: str = "") -> SessionSnapshot:
        """Close the session and return a snapshot.

        `by`: participant that closes it. Raises `SessionOverError` or `NotAParticipantError`.
        """
        async with self._hold_session() as session:
            await session.write_update(
                end_session(session.snapshot.stage, by, clip_text(repair_surrogates(reason), REASON_LENGTH), get_time())
            )
            await session.run_models()
            return session.snapshot

    async def restore_participant(self, name: str) -> SessionSnapshot:
        """Bring a hidden participant back to its seat, and return a snapshot. The current turn stays the same.

        Raises a `SendError` if `name` does not take part.
        """
        async with self._hold_session() as session:
            if update := restore_participant(session.snapshot.stage, name, get_time()):
                await session.write_update(update)
            await session.run_models()
            return session.snapshot

    async def advance(self) -> SessionSnapshot:
        """Record expired deadlines, let models take their turns, and return a snapshot."""
        async with self._hold_session() as session:
            await session.run_models()
            return session.snapshot

    @asynccontextmanager
    async def _hold_session(self, check: SnapshotCheck = lambda _: None) -> AsyncIterator[LockedSession]:
        async with lock_session(self.run, self.db, self.driver, check) as session:
            try:
                await session.record_expirations()
                yield session
            finally:
                await self._report_events(session.snapshot.events)

    async def _run_graph(self, store: Store, run: str, graph_input: Any) -> None:
        stream_options: dict[str, Any] = {"version": "v2", "stream_mode": ["custom"], "durability": "sync"}
        async for chunk in store.get_graph(self._context.protocol).astream(
            graph_input, make_thread_config(run), context=self._context, **stream_options
        ):
            if "seq" in (entry := chunk["data"]):
                await self._report_events([SessionEvent.model_validate({"kind": entry["event"]} | entry)])

    async def _report_events(self, events: list[SessionEvent]) -> None:
        for event in events:
            if (
                event.seq > self._last_reported_seq
                and self._on_event
                and inspect.isawaitable(awaitable := self._on_event(event))
            ):
                await awaitable
            self._last_reported_seq = max(self._last_reported_seq, event.seq)


P = ParamSpec("P")
T = TypeVar("T")


def _make_blocking_method(
    method: Callable[Concatenate[AsyncSession, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate["Session", P], T]:
    """Make a synchronous method that runs an async method of the same name and waits for its result."""

    @wraps(method)
    def call_method(self: "Session", /, *arguments: P.args, **options: P.kwargs) -> T:
        return run_blocking(method(self._session, *arguments, **options))

    return call_method


def _make_snapshot_property(name: str) -> Any:
    return property(lambda session: getattr(session.load_snapshot(), name), doc=getattr(SessionSnapshot, name).__doc__)


class Session:
    """Session for synchronous code, with the methods of `AsyncSession`.

    Each call and property loads the session from the database and records expired deadlines.
    """

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    @property
    def run(self) -> str:
        """Return the name of the session in the database. `open_session(run=...)` opens it again."""
        return self._session.run

    load_snapshot = _make_blocking_method(AsyncSession.load_snapshot)
    can_send = _make_blocking_method(AsyncSession.can_send)
    validate_send = _make_blocking_method(AsyncSession.validate_send)
    send = _make_blocking_method(AsyncSession.send)
    answer_invitation = _make_blocking_method(AsyncSession.answer_invitation)
    close = _make_blocking_method(AsyncSession.close)
    restore_participant = _make_blocking_method(AsyncSession.restore_participant)
    advance = _make_blocking_method(AsyncSession.advance)
    status: str = _make_snapshot_property("status")
    participant_order: list[str] = _make_snapshot_property("participant_order")
    expected_next_speaker: str = _make_snapshot_property("expected_next_speaker")
    expected: str = expected_next_speaker
    turn_count: int = _make_snapshot_property("turn_count")
    history: list[Statement] = _make_snapshot_property("history")
    events: list[SessionEvent] = _make_snapshot_property("events")
    view: Mapping[str, Any] = _make_snapshot_property("view")
    outcome: Outcome | None = _make_snapshot_property("outcome")
