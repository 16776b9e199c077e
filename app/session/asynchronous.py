"""A session from Python: who may speak, and what follows when somebody does. It lives in the database of the runs."""

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
from .held import Check, Desk, Drive, at_desk, by_now, has_invited, seated
from .snapshot import Look

OnEvent = Callable[[Event], Awaitable[None] | None]
"""Told of every entry of the log, in order, when it is recorded."""


class AsyncSession:
    """An open session. Every method reads it anew, so that several clients, and processes, can share one.

    Reading and probing let time pass and ask no model; `send`, `restore`, `answer` and `tick` also let models speak
    whose turn it is. All hold the run's lock while they write.
    """

    def __init__(self, run: str, db: str, context: DiscussionRules, on_event: OnEvent | None = None) -> None:
        self.run, self.db = run, db
        self.drive: Drive = self._driven
        self._context, self._on_event, self._told = context, on_event, 0

    def heard_up_to(self, seq: int) -> None:
        """Report only what the log holds after entry `seq`."""
        self._told = seq

    async def look(self) -> Look:
        """The session as it stands, time that has passed included."""
        async with opened(self.db, create=False) as store:
            saved = await seated(store, self.run)
        if not has_invited(saved):
            return await self.tick()
        look = by_now(saved)
        if len(look.events) > len(saved.state["events"]):
            return await self._recorded(look)
        await self._tell(look.events)
        return look

    async def can_send(self, speaker: str) -> bool:
        """Whether a text from `speaker` would be accepted now. Asks no model."""
        return (await self.look()).can_send(speaker)

    async def validate_send(self, speaker: str, text: str, turn: int | None = None) -> None:
        """Raise the `Refusal` that fits, naming who is expected; or return. Asks no model."""
        (await self.look()).validate_send(speaker, text, turn)

    async def send(self, speaker: str, text: str, *, id: str = "", turn: int | None = None) -> Statement:
        """Take the open turn with a text; models whose turn is next speak before this returns.

        `id`: the client's own id of the message; sent again, it counts once and gives the same statement. `turn`: the
        turn it is for. Raises a `Refusal`; then nothing has changed. `Stopped` if a model's endpoint cannot be used:
        the text is kept, and `tick` goes on.
        """

        def check(look: Look) -> None:
            if not look.sent_before(speaker, text, id):
                look.validate_send(speaker, text, turn)

        check_message(speaker, text, id, turn)
        async with self._at_desk(check) as desk:
            if before := desk.look.sent_before(speaker, text, id):
                return before
            await desk.go_on()
            desk.look.validate_send(speaker, text, turn)
            message = id or uuid4().hex
            told = {"speaker": speaker, "text": storable(text), "id": message, "turn": desk.look.turn_count + 1}
            await desk.run(Command(resume=told))
            if sent := desk.look.sent_before(speaker, text, message):
                return sent
            desk.look.validate_send(speaker, text, turn)
            raise Stopped(f"run = {self.run}: the text was not taken; look, and send it again")

    async def answer(self, who: str, accept: bool = True, reason: str = "") -> Look:
        """Acknowledge an invitation, or decline it. Raises `Refusal` if there is none open."""
        async with self._at_desk() as desk:
            desk.look.check_invited(who)
            await desk.run(
                Command(resume={"who": who, "accept": accept, "reason": clipped(storable(reason), REASON_LENGTH)})
            )
            return desk.look

    async def close(self, by: str, reason: str = "") -> Look:
        """Close the session. Raises `SessionOver` or `NotAParticipant`."""
        async with self._at_desk() as desk:
            await desk.enter(closed(desk.look.stage, by, clipped(storable(reason), REASON_LENGTH), now()))
            await desk.go_on()
            return desk.look

    async def restore(self, who: str) -> Look:
        """Bring a hidden participant back to its old seat; whoever is expected stays expected."""
        async with self._at_desk() as desk:
            if news := restored(desk.look.stage, who, now()):
                await desk.enter(news)
            await desk.go_on()
            return desk.look

    async def tick(self) -> Look:
        """Let time pass, and let models speak whose turn it is."""
        async with self._at_desk() as desk:
            await desk.go_on()
            return desk.look

    @asynccontextmanager
    async def _at_desk(self, check: Check = lambda _: None) -> AsyncIterator[Desk]:
        async with at_desk(self.run, self.db, self.drive, check) as desk:
            try:
                await desk.touch()
                yield desk
            finally:
                await self._tell(desk.look.events)

    async def _recorded(self, seen: Look) -> Look:
        """Write down what time has done, unless somebody is acting on the session, who will."""
        try:
            async with self._at_desk() as desk:
                return desk.look
        except Stopped:
            return seen

    async def _driven(self, store: Store, run: str, given: Any) -> None:
        modes: dict[str, Any] = {"version": "v2", "stream_mode": ["custom"], "durability": "sync"}
        async for part in store.graph("discussion").astream(given, thread(run), context=self._context, **modes):
            if "seq" in (told := part["data"]):
                await self._tell([Event.model_validate({"kind": told["event"]} | told)])

    async def _tell(self, events: list[Event]) -> None:
        """Report what is new in the log."""
        for event in events:
            if event.seq > self._told and self._on_event and inspect.isawaitable(done := self._on_event(event)):
                await done
            self._told = max(self._told, event.seq)
