"""Runs that clients of the endpoint started.

They are followed to their end, stopped when all listeners leave, and found again.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import NamedTuple

from ....state.errors import InputError
from ...run.request import RunRequest
from ...saved import SavedRun, load_saved_run
from ..guard import RateLimit
from ..room import Room
from ..run_events import FIRST_CURSOR, get_run_state
from ..run_subscribers import Subscriber
from .errors import EndpointError

NEWS_TIMEOUT = 10.0
"""Seconds of silence after which a listener gets a sign that the run continues."""

RUN_LIMIT, MINUTE = 20, 60.0
"""Number of deliberations that one key may start in a minute, and a minute in seconds."""

MAX_KNOWN_REQUESTS = 1000
"""Number of requests whose runs are remembered, for clients that send a request again."""

REST_POLL = 0.05
"""Seconds between two checks whether a run has stopped."""


class Sender(NamedTuple):
    """Sender of a request: its key, the digest of its body, and whether it repeats a request."""

    key: str
    body: str
    is_retry: bool


class ClientRuns:
    """Runs of one endpoint. A run without listeners stops after its current step and can be resumed."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self._listeners: Counter[str] = Counter()
        self._known_runs: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._stopped = set[str]()
        self._rate = RateLimit(RUN_LIMIT, MINUTE)

    @asynccontextmanager
    async def open_run(self, request: RunRequest, sender: Sender) -> AsyncIterator[str]:
        """Listen to a run within the block: a new run, or the run of the same request sent before."""
        if run := self._known_runs.get((sender.key, sender.body), "") if sender.is_retry else "":
            with self._count_listener(run):  # before any await: meanwhile the first sender may turn out to have left
                if await self._resume_left(run):
                    yield run
                    return
        run = await self._start_run(request, sender)
        with self._count_listener(run):
            yield run

    async def follow_run(self, run: str) -> AsyncGenerator[SavedRun | None, None]:
        """Yield the saved run whenever there is news, last when it has ended.

        Yield `None` after a time of silence. Raises `EndpointError` if the run does not end.
        """
        subscriber = await self.room.hub.add_subscriber(run, FIRST_CURSOR)
        try:
            while not subscriber.cut:
                yield (saved := await self._wait_for_news(run, subscriber))
                if saved and saved.finished:
                    _check_outcome(saved)
                    return
        finally:
            self.room.hub.remove_subscriber(run, subscriber)
        raise EndpointError(503, f"the room has closed; saved as {run}, go on there", "stopped")

    async def _wait_for_news(self, run: str, subscriber: Subscriber) -> SavedRun | None:
        is_silent = False
        try:
            await asyncio.wait_for(subscriber.queue.get(), NEWS_TIMEOUT)
        except TimeoutError:
            is_silent = True
        while not subscriber.queue.empty():
            subscriber.queue.get_nowait()
        saved = await self.room.hub.load_latest(run)
        if not saved.finished and await self._is_active(run):
            return None if is_silent else saved
        saved = await load_saved_run(self.room.store, run)
        if not saved.finished:
            reason = self.room.driver.faults.get(run, "") or saved.run.fault or get_run_state(saved, is_locked=False)
            raise EndpointError(503, f"{reason}; saved as {run}, go on there", "stopped")
        return saved

    async def _is_active(self, run: str) -> bool:
        """Return whether a process drives the run, or a worker runs it or will take it."""
        driver = self.room.driver
        return driver.is_driving(run) or await self.room.store.is_held(run) or await driver.is_queued(run)

    async def _start_run(self, request: RunRequest, sender: Sender) -> str:
        """Start a run, which stops if its client leaves before the first step."""
        if not self._rate.try_acquire(sender.key):
            raise InputError("rate", RUN_LIMIT, "as many were begun as may be in a minute; wait")
        start = asyncio.create_task(self.room.driver.start_run(request))
        try:
            run = await asyncio.shield(start)
        except asyncio.CancelledError:
            start.add_done_callback(self._stop_unclaimed)
            raise
        self._known_runs[sender.key, sender.body] = run
        while len(self._known_runs) > MAX_KNOWN_REQUESTS:
            self._known_runs.popitem(last=False)
        return run

    async def _resume_left(self, run: str) -> bool:
        """Resume a run that was left, after it has stopped, and return whether it still exists."""
        while run in self._stopped and self.room.driver.is_driving(run):
            await asyncio.sleep(REST_POLL)
        self._stopped.discard(run)
        try:
            saved = await load_saved_run(self.room.store, run)
        except InputError:  # it was deleted
            return False
        if not saved.finished:
            await self.room.driver.resume_run(run)
        return True

    @contextmanager
    def _count_listener(self, run: str) -> Iterator[None]:
        """Count a listener of a run within the block; the run stops when the last one leaves."""
        self._listeners[run] += 1
        try:
            yield
        finally:
            self._listeners[run] -= 1
            if not self._listeners[run]:
                del self._listeners[run]
                self._stop_run(run)

    def _stop_unclaimed(self, start: "asyncio.Task[str]") -> None:
        if start.exception() is None:
            self._stop_run(start.result())

    def _stop_run(self, run: str) -> None:
        if self.room.driver.is_driving(run):
            self._stopped = {name for name in self._stopped if self.room.driver.is_driving(name)} | {run}
            self.room.driver.stop_run(run)


def _check_outcome(saved: SavedRun) -> None:
    """Raise `EndpointError` for a run that failed."""
    outcome = saved.state["outcome"]
    if outcome.status == "failed":
        raise EndpointError(502, f"{outcome.headline} Saved as {saved.run.run}, go on there", outcome.reason)
