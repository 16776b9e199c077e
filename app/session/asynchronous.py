"""An open session from Python; it is kept in the database of saved runs."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

from langgraph.types import Command

from ...nodes.clock import now
from ...nodes.models.failures import Stopped
from ...nodes.session.events import closed, restored
from ...state.discussion import DiscussionRules
from ...state.fence import storable
from ...state.session import REASON_LENGTH, Event, check_message
from ...state.statement import Statement
from ...state.text import clipped
from ..saved import Store, opened, thread
from .locked import Check, Drive, LockedSession, as_of_now, has_invited, load_session, lock_session
from .snapshot import Snapshot

OnEvent = Callable[[Event], Awaitable[None] | None]
"""Called with every entry of the log, in order, when it is recorded."""


class AsyncSession:
    """An open session. Every method reads it from the database, so that several clients and processes can share one.

    Methods that only read record what has expired and ask no model; `send`, `restore`, `answer` and `tick` also let
    models speak whose turn it is. All hold the run's lock while they write.
    """

    def __init__(self, run: str, db: str, context: DiscussionRules, on_event: OnEvent | None = None) -> None:
        self.run, self.db = run, db
        self.drive: Drive = self._driven
        self._context, self._on_event, self._told = context, on_event, 0

    def heard_up_to(self, seq: int) -> None:
        """Report only what the log holds after entry `seq`."""
        self._told = seq

    async def snapshot(self) -> Snapshot:
        """The session as it stands now, with what has expired by now."""
        async with opened(self.db, create=False) as store:
            saved = await load_session(store, self.run)
        if not has_invited(saved):
            return await self.tick()
        snapshot = as_of_now(saved)
        if len(snapshot.events) > len(saved.state["events"]):
            return await self._recorded(snapshot)
        await self._tell(snapshot.events)
        return snapshot

    async def can_send(self, speaker: str) -> bool:
        """Whether a text from `speaker` would be accepted now. Asks no model."""
        return (await self.snapshot()).can_send(speaker)

    async def validate_send(self, speaker: str, text: str, turn: int | None = None) -> None:
        """Raise the `SendRefused` that fits, naming who is expected; or return. Asks no model."""
        (await self.snapshot()).validate_send(speaker, text, turn)

    async def send(self, speaker: str, text: str, *, id: str = "", turn: int | None = None) -> Statement:
        """Take the open turn with a text; models whose turn is next speak before this returns.

        `id`: the client's own id of the message; sent again, it counts once and gives the same statement. `turn`: the
        turn it is for. Raises a `SendRefused`; then nothing has changed. Raises `Stopped` if a model's endpoint
        cannot be used: the text is kept, and `tick` goes on.
        """

        def check(snapshot: Snapshot) -> None:
            if not snapshot.sent_before(speaker, text, id):
                snapshot.validate_send(speaker, text, turn)

        check_message(speaker, text, id, turn)
        async with self._holding(check) as session:
            if before := session.snapshot.sent_before(speaker, text, id):
                return before
            await session.go_on()
            session.snapshot.validate_send(speaker, text, turn)
            message = id or uuid4().hex
            told = {"speaker": speaker, "text": storable(text), "id": message, "turn": session.snapshot.turn_count + 1}
            await session.run(Command(resume=told))
            if sent := session.snapshot.sent_before(speaker, text, message):
                return sent
            session.snapshot.validate_send(speaker, text, turn)
            raise Stopped(f"run = {self.run}: the text was not taken; look, and send it again")

    async def answer(self, who: str, accept: bool = True, reason: str = "") -> Snapshot:
        """Acknowledge an invitation, or decline it. Raises `SendRefused` if there is none open."""
        async with self._holding() as session:
            session.snapshot.check_invited(who)
            await session.run(
                Command(resume={"who": who, "accept": accept, "reason": clipped(storable(reason), REASON_LENGTH)})
            )
            return session.snapshot

    async def close(self, by: str, reason: str = "") -> Snapshot:
        """Close the session. Raises `SessionOver` or `NotAParticipant`."""
        async with self._holding() as session:
            await session.enter(closed(session.snapshot.stage, by, clipped(storable(reason), REASON_LENGTH), now()))
            await session.go_on()
            return session.snapshot

    async def restore(self, who: str) -> Snapshot:
        """Bring a hidden participant back to its old seat; whoever is expected stays expected."""
        async with self._holding() as session:
            if news := restored(session.snapshot.stage, who, now()):
                await session.enter(news)
            await session.go_on()
            return session.snapshot

    async def tick(self) -> Snapshot:
        """Record what has expired by now, and let models speak whose turn it is."""
        async with self._holding() as session:
            await session.go_on()
            return session.snapshot

    @asynccontextmanager
    async def _holding(self, check: Check = lambda _: None) -> AsyncIterator[LockedSession]:
        async with lock_session(self.run, self.db, self.drive, check) as session:
            try:
                await session.let_time_pass()
                yield session
            finally:
                await self._tell(session.snapshot.events)

    async def _recorded(self, seen: Snapshot) -> Snapshot:
        """Record what has expired, unless another client holds the lock; it will record the same."""
        try:
            async with self._holding() as session:
                return session.snapshot
        except Stopped:
            return seen

    async def _driven(self, store: Store, run: str, given: Any) -> None:
        modes: dict[str, Any] = {"version": "v2", "stream_mode": ["custom"], "durability": "sync"}
        async for part in store.graph(self._context.protocol).astream(
            given, thread(run), context=self._context, **modes
        ):
            if "seq" in (told := part["data"]):
                await self._tell([Event.model_validate({"kind": told["event"]} | told)])

    async def _tell(self, events: list[Event]) -> None:
        """Report what is new in the log."""
        for event in events:
            if event.seq > self._told and self._on_event and inspect.isawaitable(done := self._on_event(event)):
                await done
            self._told = max(self._told, event.seq)
