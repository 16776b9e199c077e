"""Watchers of runs: one look at the database for all of them, each event made once, slow readers cut off."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from ...state.refused import Refused
from ..saved import Saved, Store, load
from .course import Cursor, Event, cursor_of, is_beyond, news, standing, thinking, waited_for

LOOK, AFRESH = 0.1, 1.0
"""Seconds between two looks at what was saved, and two sendings of words in progress; seconds after which runs are
looked at even if nothing was saved, since a process that dies saves nothing."""

MOST, WAITING = 500, 1000
"""Watchers of all runs together; events one of them may be behind before it is cut off."""


@dataclass(eq=False)
class Watcher:
    """One who reads the events of a run. `cut`: it reads too slowly, and no more is kept for it."""

    queue: "asyncio.Queue[bytes]" = field(default_factory=lambda: asyncio.Queue(WAITING))
    cut: bool = False

    def give(self, event: bytes) -> None:
        """Keep an event for it."""
        try:
            self.queue.put_nowait(event)
        except asyncio.QueueFull:
            self.cut = True


@dataclass
class Watched:
    """A run that somebody watches, as it was saved last, and how it stood then.

    `words`: not yet sent; `made`: what was made of it for one of them, and from what else.
    """

    saved: Saved
    cursor: Cursor
    state: dict[str, Any] = field(default_factory=dict)
    watchers: set[Watcher] = field(default_factory=set)
    words: dict[str, str] = field(default_factory=dict)
    made: tuple[object, str] = (None, "")

    def give(self, *events: Event) -> None:
        """Send events to all, made once and sent as one."""
        if sent := b"".join(one.sent() for one in events):
            for watcher in self.watchers:
                watcher.give(sent)

    def speak(self) -> None:
        """Send the words that wait."""
        for who, text in self.words.items():
            self.give(Event("words", {"who": who, "text": text}))
        self.words.clear()


class Hub:
    """All watched runs of one database."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.watched: dict[str, Watched] = {}
        self._somebody = asyncio.Event()

    async def enter(self, name: str, after: Cursor) -> Watcher:
        """Begin to watch a run after a cursor. Raises `Refused` where too many do, or there is no such run."""
        if sum(len(one.watchers) for one in self.watched.values()) >= MOST:
            raise Refused("watchers", MOST, "as many watch as may; come back later")
        watched = self.watched.get(name)
        if watched is None:
            saved = await load(self.store, name)
            watched = self.watched.setdefault(name, Watched(saved, cursor_of(saved)))
            watched.state = await self._state(saved)
        watcher = Watcher()
        gone = is_beyond(after, watched.saved)
        first = [Event("anew", {})] if gone else [*news(watched.saved, after), _where(watched)]
        watcher.give(b"".join(one.sent() for one in first))
        watched.watchers.add(watcher)
        self._somebody.set()
        return watcher

    def leave(self, name: str, watcher: Watcher) -> None:
        """No longer watch a run."""
        if watched := self.watched.get(name):
            watched.watchers.discard(watcher)
            if not watched.watchers:
                del self.watched[name]
            if not self.watched:
                self._somebody.clear()

    def close(self) -> None:
        """Send nobody anything any more; they come back when the room is open again."""
        for watched in self.watched.values():
            for one in watched.watchers:
                one.cut = True
                one.give(b"")

    def tell(self, name: str, kind: str, data: dict[str, Any]) -> None:
        """Send what is on no record: who is thinking, and words in progress, several at a time."""
        watched = self.watched.get(name)
        if watched and kind == "words" and data["text"]:
            if not watched.words:
                asyncio.get_running_loop().call_later(LOOK, watched.speak)
            watched.words[data["who"]] = watched.words.get(data["who"], "") + data["text"]
        elif watched:
            watched.speak()
            watched.give(Event(kind, data))

    async def saved(self, name: str) -> Saved:
        """A run as it was saved last."""
        found = self.watched.get(name)
        return found.saved if found else await load(self.store, name)

    def made(self, saved: Saved, of: object, make: Callable[[], str]) -> str:
        """What is made of a run and something else, made once for all who watch it."""
        watched = self.watched.get(saved.run.run)
        if watched is None or watched.saved is not saved:
            return make()
        if watched.made[0] != of:
            watched.made = of, make()
        return watched.made[1]

    async def look_on(self) -> None:
        """Look at what is saved, as long as somebody watches, until this is cancelled."""
        async with self.store.changes() as changed:
            while True:
                await self._somebody.wait()
                if await changed(AFRESH):
                    for watched in list(self.watched.values()):
                        await self._look_at(watched)
                    await asyncio.sleep(LOOK)
                else:
                    for watched in list(self.watched.values()):
                        await self._tell(watched)

    async def _look_at(self, watched: Watched) -> None:
        before = watched.saved
        with suppress(Refused):
            watched.saved, watched.made = await load(self.store, watched.saved.run.run), (None, "")
        gone = is_beyond(watched.cursor, watched.saved)
        since = (_kept(before, watched.saved), *watched.cursor[1:])
        found = [Event("anew", {})] if gone else news(watched.saved, since)
        watched.cursor = cursor_of(watched.saved)
        await self._tell(watched, found)

    async def _tell(self, watched: Watched, found: Sequence[Event] = ()) -> None:
        """Send what is new, and how the run stands, where that has changed."""
        state = await self._state(watched.saved)
        changed, watched.state = state != watched.state, state
        watched.give(*found, *([_where(watched)] if changed else []))

    async def _state(self, saved: Saved) -> dict[str, Any]:
        """Whether it has begun, how it stands, what is done next, and whom it waits for."""
        how = standing(saved, await self.store.is_held(saved.run.run))
        doing = thinking(saved) if how == "live" else ""
        return {"begun": saved.begun, "state": how, "doing": doing, "who": waited_for(saved)}


def _kept(before: Saved, now: Saved) -> int:
    """How many statements stand where they stood: in a round held unheard, one may come before those known already."""
    both = zip(before.state.get("history") or [], now.state.get("history") or [], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].turn == pair[1].turn, both))


def _where(watched: Watched) -> Event:
    """How the run stands."""
    return Event("waiting", watched.state, watched.cursor)
