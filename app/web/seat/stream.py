"""The events of a seat: what its page has to show by now, and nothing of what it may not see."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from starlette.types import Send

from ...saved import Saved
from ..course import Event, standing, thinking, waited_for
from ..hub import Hub, Watcher
from ..stream import EventStream
from .view import asked_of, of_others

Look = Callable[[], Awaitable[tuple[Saved, bool] | None]]
"""Gives the run as it stands, and whether a process runs it; none once the seat's link was revoked."""


class SeatStream(EventStream):
    """Looks from a seat whenever the run's watchers are sent anything. `heard`: how much its page has of the others."""

    def __init__(self, hub: Hub, run: str, watcher: Watcher, who: str, heard: int, look: Look) -> None:
        super().__init__(hub, run, watcher)
        self.who, self.heard, self.look = who, heard, look
        self.where: dict[str, Any] = {}

    async def _part(self, send: Send, text: bytes) -> None:
        """Send what is new at the seat, in place of what all watchers are sent."""
        if text.startswith((b"event: doing", b"event: words")):
            return
        if not text.startswith((b"id:", b"event:")):
            await super()._part(send, text)
        found = await self.look()
        if found is None:
            self.watcher.cut = True
            return
        for event in self._news(*found):
            await super()._part(send, event.sent())

    def _news(self, saved: Saved, held: bool) -> Iterator[Event]:
        found = of_others(saved, self.who)
        if len(found) < self.heard:
            yield Event("anew", {})
        for count, one in enumerate(found[self.heard :], self.heard + 1):
            yield Event("said", {"turn": one.turn, "who": one.speaker, "text": one.content}, (count,))
        self.heard = len(found)
        asked = asked_of(saved, self.who)
        where = {"state": standing(saved, held), "who": waited_for(saved), "doing": thinking(saved)}
        where["asked"] = asked["id"] if asked else ""
        if where != self.where:
            self.where = where
            yield Event("waiting", where, (self.heard,))
