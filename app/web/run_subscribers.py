"""Subscribers of runs. One poll of the database serves all of them. Slow readers are dropped."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

from ...models import get_server_name
from ...state import InputError
from ..people.open_questions import list_awaited_names
from ..saved import SavedRun, Store, get_run_state, load_saved_run
from .run_events import (
    Cursor,
    StreamEvent,
    compute_cursor,
    describe_next_step,
    is_cursor_ahead,
    list_new_events,
)

HUB_POLL, RECHECK_INTERVAL = 0.1, 1.0
"""Seconds between two polls or batches of words, and between two checks for dead processes while nothing changes."""

MAX_SUBSCRIBERS, MAX_BACKLOG = 500, 1000
"""Maximum number of subscribers of all runs, and maximum number of events that wait for one subscriber."""


@dataclass(eq=False)
class Subscriber:
    """Reader of a run's events.

    `is_dropped`: whether the reader was too slow and gets no more events.
    """

    queue: "asyncio.Queue[bytes]" = field(default_factory=lambda: asyncio.Queue(MAX_BACKLOG))
    is_dropped: bool = False

    def put_event(self, event: bytes) -> None:
        """Queue an event, or drop the subscriber if its queue is full."""
        try:
            self.queue.put_nowait(event)
        except asyncio.QueueFull:
            self.is_dropped = True


@dataclass
class WatchedRun:
    """Run that has subscribers, in its last saved state.

    `words`: streamed words that have not been sent yet. `cached_page`: the last page rendered for a subscriber, and its
    key.
    """

    saved_run: SavedRun
    cursor: Cursor
    state: dict[str, Any] = field(default_factory=dict)
    subscribers: set[Subscriber] = field(default_factory=set)
    words: dict[str, str] = field(default_factory=dict)
    cached_page: tuple[object, str] = (None, "")

    def send_events(self, *events: StreamEvent) -> None:
        """Send events to all subscribers of the run."""
        if encoded_events := b"".join(event.encode() for event in events):
            for subscriber in self.subscribers:
                subscriber.put_event(encoded_events)

    def send_words(self) -> None:
        """Send the streamed words that have not been sent yet."""
        for name, text in self.words.items():
            self.send_events(StreamEvent("words", {"who": name, "text": text}))
        self.words.clear()


class SubscriberHub:
    """Runs of one database that have subscribers.

    `is_closed`: whether the room is closing.
    """

    def __init__(self, store: Store) -> None:
        self.store, self.is_closed = store, False
        self.watched_runs: dict[str, WatchedRun] = {}
        self._has_subscribers = asyncio.Event()

    async def add_subscriber(self, name: str, cursor: Cursor) -> Subscriber:
        """Add a subscriber to a run, and queue the events after `cursor`.

        Raises `InputError` if there are too many subscribers or there is no such run.
        """
        if sum(len(run.subscribers) for run in self.watched_runs.values()) >= MAX_SUBSCRIBERS:
            raise InputError("watchers", MAX_SUBSCRIBERS, "no more browsers can watch this run now; come back later")
        watched_run = self.watched_runs.get(name)
        if watched_run is None:
            saved_run = await load_saved_run(self.store, name)
            watched_run = self.watched_runs.setdefault(name, WatchedRun(saved_run, compute_cursor(saved_run)))
            watched_run.state = await self._build_run_state(saved_run)
        subscriber = Subscriber()
        events = (
            [StreamEvent("reload", {})]
            if is_cursor_ahead(cursor, watched_run.saved_run)
            else [*list_new_events(watched_run.saved_run, cursor), _make_state_event(watched_run)]
        )
        subscriber.put_event(b"".join(event.encode() for event in events))
        watched_run.subscribers.add(subscriber)
        self._has_subscribers.set()
        return subscriber

    def remove_subscriber(self, name: str, subscriber: Subscriber) -> None:
        """Remove a subscriber of a run."""
        if watched_run := self.watched_runs.get(name):
            watched_run.subscribers.discard(subscriber)
            if not watched_run.subscribers:
                del self.watched_runs[name]
            if not self.watched_runs:
                self._has_subscribers.clear()

    def close(self) -> None:
        """Drop all subscribers. Browsers reconnect when the room opens again."""
        self.is_closed = True
        for watched_run in self.watched_runs.values():
            for subscriber in watched_run.subscribers:
                subscriber.is_dropped = True
                subscriber.put_event(b"")

    def publish_event(self, name: str, kind: str, data: dict[str, Any]) -> None:
        """Send an event that is not saved: a step at once, streamed words in batches.

        `kind`: kind of the event. `data`: its content.
        """
        watched_run = self.watched_runs.get(name)
        if watched_run and kind == "words" and data["text"]:
            if not watched_run.words:
                asyncio.get_running_loop().call_later(HUB_POLL, watched_run.send_words)
            watched_run.words[data["who"]] = watched_run.words.get(data["who"], "") + data["text"]
        elif watched_run:
            watched_run.send_words()
            watched_run.send_events(StreamEvent(kind, data))

    async def load_latest_run(self, name: str) -> SavedRun:
        """Return a run in its last saved state. Load it only if it has no subscribers."""
        watched_run = self.watched_runs.get(name)
        return watched_run.saved_run if watched_run else await load_saved_run(self.store, name)

    def reuse_page(self, saved_run: SavedRun, key: object, render: Callable[[], str]) -> str:
        """Return the cached page for `key`, or render it.

        `key`: values that the page depends on. The page is rendered again if the run has changed, and each time while
        the run has no subscriber.
        """
        watched_run = self.watched_runs.get(saved_run.run.run)
        if watched_run is None or watched_run.saved_run is not saved_run:
            return render()
        if watched_run.cached_page[0] != key:
            watched_run.cached_page = key, render()
        return watched_run.cached_page[1]

    async def watch_store(self) -> None:
        """Poll the database while there are subscribers, until this task is cancelled."""
        async with self.store.changes() as wait_for_change:
            while True:
                await self._has_subscribers.wait()
                if await wait_for_change(RECHECK_INTERVAL):
                    for watched_run in list(self.watched_runs.values()):
                        await self._reload_run(watched_run)
                    await asyncio.sleep(HUB_POLL)
                else:
                    for watched_run in list(self.watched_runs.values()):
                        await self._send_changes(watched_run)

    async def _reload_run(self, watched_run: WatchedRun) -> None:
        history = watched_run.saved_run.state.get("history") or []
        with suppress(InputError):
            watched_run.saved_run = await load_saved_run(self.store, watched_run.saved_run.run.run)
            watched_run.cached_page = (None, "")
        saved_run = watched_run.saved_run
        events = [StreamEvent("reload", {})]
        if not is_cursor_ahead(watched_run.cursor, saved_run):
            # In a blind round a new statement may stand before known ones: only those before it keep their place.
            pairs = zip(history, saved_run.state.get("history") or [], strict=False)
            unmoved_count = sum(1 for _ in takewhile(lambda pair: pair[0].turn == pair[1].turn, pairs))
            events = list_new_events(saved_run, (unmoved_count, *watched_run.cursor[1:]))
        watched_run.cursor = compute_cursor(saved_run)
        await self._send_changes(watched_run, events)

    async def _send_changes(self, watched_run: WatchedRun, events: Sequence[StreamEvent] = ()) -> None:
        watched_run.send_words()  # before the statement that they become
        state = await self._build_run_state(watched_run.saved_run)
        has_changed, watched_run.state = state != watched_run.state, state
        watched_run.send_events(*events, *([_make_state_event(watched_run)] if has_changed else []))

    async def _build_run_state(self, saved_run: SavedRun) -> dict[str, Any]:
        state = get_run_state(saved_run.build_row(), await self.store.is_held(saved_run.run.run))
        next_step = describe_next_step(saved_run) if state == "live" else ""
        names = list_awaited_names(saved_run)
        if state == "parked":
            names = [get_server_name(saved_run.run.waiting_for)]
        return {"begun": saved_run.has_begun, "state": state, "doing": next_step, "who": names}


def _make_state_event(watched_run: WatchedRun) -> StreamEvent:
    return StreamEvent("waiting", watched_run.state, watched_run.cursor)
