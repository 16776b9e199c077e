"""Subscribers of runs: one poll of the database for all, each event made once, slow readers dropped."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from ...state.errors import InputError
from ..saved import SavedRun, Store, load_saved_run
from .run_events import (
    Cursor,
    StreamEvent,
    compute_cursor,
    describe_next_step,
    get_run_state,
    is_cursor_ahead,
    list_awaited,
    list_new_events,
)

HUB_POLL, RECHECK_INTERVAL = 0.1, 1.0
"""Seconds between two polls, or two batches of words; seconds between two checks without news. The checks find a
process that died: it saves nothing.
"""

MAX_SUBSCRIBERS, MAX_BACKLOG = 500, 1000
"""Largest number of subscribers of all runs; most events that wait for one before it is dropped."""


@dataclass(eq=False)
class Subscriber:
    """A reader of the events of a run. `cut`: it read too slowly and gets no more events."""

    queue: "asyncio.Queue[bytes]" = field(default_factory=lambda: asyncio.Queue(MAX_BACKLOG))
    cut: bool = False

    def put_event(self, event: bytes) -> None:
        """Queue an event, or drop the subscriber if its queue is full."""
        try:
            self.queue.put_nowait(event)
        except asyncio.QueueFull:
            self.cut = True


@dataclass
class WatchedRun:
    """A run with subscribers, as it was last saved.

    `words`: words in progress, not yet sent. `cached_page`: the last page rendered for a subscriber,
    and its key.
    """

    saved: SavedRun
    cursor: Cursor
    state: dict[str, Any] = field(default_factory=dict)
    subscribers: set[Subscriber] = field(default_factory=set)
    words: dict[str, str] = field(default_factory=dict)
    cached_page: tuple[object, str] = (None, "")

    def send_events(self, *events: StreamEvent) -> None:
        """Send events to all subscribers, encoded once and joined."""
        if encoded := b"".join(event.encode() for event in events):
            for subscriber in self.subscribers:
                subscriber.put_event(encoded)

    def send_words(self) -> None:
        """Send the words in progress."""
        for name, text in self.words.items():
            self.send_events(StreamEvent("words", {"who": name, "text": text}))
        self.words.clear()


class Hub:
    """All watched runs of one database."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.watched: dict[str, WatchedRun] = {}
        self._has_subscribers = asyncio.Event()

    async def add_subscriber(self, name: str, after: Cursor) -> Subscriber:
        """Add a subscriber of a run after a cursor.

        Raises `InputError` if there are too many subscribers or there is no such run.
        """
        if sum(len(run.subscribers) for run in self.watched.values()) >= MAX_SUBSCRIBERS:
            raise InputError("watchers", MAX_SUBSCRIBERS, "as many watch as may; come back later")
        watched = self.watched.get(name)
        if watched is None:
            saved = await load_saved_run(self.store, name)
            watched = self.watched.setdefault(name, WatchedRun(saved, compute_cursor(saved)))
            watched.state = await self._describe_state(saved)
        subscriber = Subscriber()
        is_rewritten = is_cursor_ahead(after, watched.saved)
        events = (
            [StreamEvent("anew", {})]
            if is_rewritten
            else [*list_new_events(watched.saved, after), _make_state_event(watched)]
        )
        subscriber.put_event(b"".join(event.encode() for event in events))
        watched.subscribers.add(subscriber)
        self._has_subscribers.set()
        return subscriber

    def remove_subscriber(self, name: str, subscriber: Subscriber) -> None:
        """Remove a subscriber of a run."""
        if watched := self.watched.get(name):
            watched.subscribers.discard(subscriber)
            if not watched.subscribers:
                del self.watched[name]
            if not self.watched:
                self._has_subscribers.clear()

    def close(self) -> None:
        """Drop all subscribers. Browsers reconnect when the room opens again."""
        for watched in self.watched.values():
            for subscriber in watched.subscribers:
                subscriber.cut = True
                subscriber.put_event(b"")

    def publish_event(self, name: str, kind: str, data: dict[str, Any]) -> None:
        """Send an event that is on no record: the current step, or words in progress in batches."""
        watched = self.watched.get(name)
        if watched and kind == "words" and data["text"]:
            if not watched.words:
                asyncio.get_running_loop().call_later(HUB_POLL, watched.send_words)
            watched.words[data["who"]] = watched.words.get(data["who"], "") + data["text"]
        elif watched:
            watched.send_words()
            watched.send_events(StreamEvent(kind, data))

    async def load_latest(self, name: str) -> SavedRun:
        """Return a run as it was last saved."""
        watched = self.watched.get(name)
        return watched.saved if watched else await load_saved_run(self.store, name)

    def reuse_page(self, saved: SavedRun, key: object, render: Callable[[], str]) -> str:
        """Return the page of a run for a key, rendered once for all its subscribers."""
        watched = self.watched.get(saved.run.run)
        if watched is None or watched.saved is not saved:
            return render()
        if watched.cached_page[0] != key:
            watched.cached_page = key, render()
        return watched.cached_page[1]

    async def watch_store(self) -> None:
        """Poll the database while there are subscribers, until this task is cancelled."""
        async with self.store.changes() as changed:
            while True:
                await self._has_subscribers.wait()
                if await changed(RECHECK_INTERVAL):
                    for watched in list(self.watched.values()):
                        await self._reload_run(watched)
                    await asyncio.sleep(HUB_POLL)
                else:
                    for watched in list(self.watched.values()):
                        await self._send_changes(watched)

    async def _reload_run(self, watched: WatchedRun) -> None:
        before = watched.saved
        with suppress(InputError):
            watched.saved, watched.cached_page = await load_saved_run(self.store, watched.saved.run.run), (None, "")
        is_rewritten = is_cursor_ahead(watched.cursor, watched.saved)
        cursor = (_count_unmoved(before, watched.saved), *watched.cursor[1:])
        events = [StreamEvent("anew", {})] if is_rewritten else list_new_events(watched.saved, cursor)
        watched.cursor = compute_cursor(watched.saved)
        await self._send_changes(watched, events)

    async def _send_changes(self, watched: WatchedRun, events: Sequence[StreamEvent] = ()) -> None:
        """Send new events, and the state of the run if it has changed."""
        state = await self._describe_state(watched.saved)
        has_changed, watched.state = state != watched.state, state
        watched.send_events(*events, *([_make_state_event(watched)] if has_changed else []))

    async def _describe_state(self, saved: SavedRun) -> dict[str, Any]:
        """Return the state of a run, its next step, and the names that it waits for."""
        state = get_run_state(saved, await self.store.is_held(saved.run.run))
        next_step = describe_next_step(saved) if state == "live" else ""
        return {"begun": saved.begun, "state": state, "doing": next_step, "who": list_awaited(saved)}


def _count_unmoved(before: SavedRun, after: SavedRun) -> int:
    """Count the statements that stay in their place.

    In a blind round a new statement may stand before known ones.
    """
    pairs = zip(before.state.get("history") or [], after.state.get("history") or [], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0].turn == pair[1].turn, pairs))


def _make_state_event(watched: WatchedRun) -> StreamEvent:
    """Make the event that tells the state of a run."""
    return StreamEvent("waiting", watched.state, watched.cursor)
