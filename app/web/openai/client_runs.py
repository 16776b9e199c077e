"""Runs that clients of the OpenAI-compatible endpoint started.

Clients follow a run to its end. A run stops when its last listener leaves. A repeated request continues its run.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from weakref import WeakValueDictionary

from ....models import CLIENT_LEFT
from ....state import InputError
from ...run.request import RunRequest
from ...saved import SavedRun, get_run_state, load_saved_run
from .. import FIRST_CURSOR, RateLimit, Room, Subscriber
from .errors import EndpointError

SILENCE_TIMEOUT = 10.0
"""Seconds without changes after which a listener gets a sign that the run continues."""

RUN_LIMIT = 20
"""Default for the maximum number of deliberations that one key may start per minute."""


class ClientRuns:
    """Runs of one endpoint. Without listeners, a run stops after its current calls and can be resumed.

    `filled_forms`: the requested form of each run as JSON, or `None` if the form stayed empty. `form_locks`: lock of
    each run whose form is being filled.
    """

    def __init__(self, room: Room, run_limit: int = RUN_LIMIT) -> None:
        self.room = room
        self._listener_counts: Counter[str] = Counter()
        self._requests: OrderedDict[str, tuple[str, str]] = OrderedDict()  # key and digest of each run's request
        self.filled_forms = dict[str, str | None]()
        self.form_locks = WeakValueDictionary[str, asyncio.Lock]()
        self._stopped_runs = set[str]()
        self._rate = RateLimit(run_limit, 60.0)

    @asynccontextmanager
    async def open_run(self, request: RunRequest, key: str, body: str, is_retry: bool) -> AsyncIterator[str]:
        """Start a run and listen to it within the block, or listen to the earlier run of a repeated request.

        Yield the run's name. `key`: key of the client. `body`: digest of the request. `is_retry`: whether the client
        marked the request as repeated.
        """
        if run := next(
            (run for run, known_id in reversed(self._requests.items()) if is_retry and known_id == (key, body)), ""
        ):
            with self._count_listener(run):  # count before any await: the first sender may leave meanwhile
                if await self._resume_left_run(run):
                    yield run
                    return
        run = await self._start_run(request, key, body)
        with self._count_listener(run):
            yield run

    def check_owner(self, key: str, run: str) -> None:
        """Check that this endpoint started the run for a client with this key. Raises `EndpointError`."""
        if self._requests.get(run, ("", ""))[0] != key:
            raise EndpointError(
                404, f"response = {run}: there is no such response of yours on this server", "not_found", "response"
            )

    async def follow_run(self, run: str) -> AsyncGenerator[SavedRun | None, None]:
        """Yield the saved run after every change, the last time when it has ended.

        Yield `None` after some time without changes. Raises `EndpointError` if the run fails or stops before its end.
        """
        subscriber = await self.room.hub.add_subscriber(run, FIRST_CURSOR)
        try:
            while not subscriber.is_dropped:
                yield (saved_run := await self._wait_for_change(run, subscriber))
                if saved_run and saved_run.has_ended:
                    return
        finally:
            self.room.hub.remove_subscriber(run, subscriber)
        raise EndpointError(503, f"the room has closed. Saved as {run}; continue there", "stopped")

    async def _wait_for_change(self, run: str, subscriber: Subscriber) -> SavedRun | None:
        with suppress(TimeoutError):
            async with asyncio.timeout(SILENCE_TIMEOUT) as timeout:
                await subscriber.queue.get()
        while not subscriber.queue.empty():
            subscriber.queue.get_nowait()
        saved_run = await self.room.hub.load_latest_run(run)
        if await self.is_in_progress(saved_run):
            return None if timeout.expired() else saved_run
        saved_run = await load_saved_run(self.room.store, run)
        self.check_completed(saved_run)
        return saved_run

    async def is_in_progress(self, saved_run: SavedRun) -> bool:
        """Return whether this room, another process or a worker executes a run or will do so."""
        run, driver = saved_run.run.run, self.room.driver
        return not saved_run.has_ended and (
            driver.is_driving(run) or await self.room.store.is_held(run) or await driver.is_queued(run)
        )

    def check_completed(self, saved_run: SavedRun) -> None:
        """Check that a run, which is no longer in progress, has an answer.

        Raises `EndpointError` if it failed or stopped.
        """
        run = saved_run.run.run
        if not saved_run.has_ended:
            fault = self.room.driver.faults.get(run) or saved_run.run.fault
            reason = fault or get_run_state(saved_run.build_row(), False)
            raise EndpointError(503, f"{reason.rstrip('.')}. Saved as {run}; continue there", "stopped")
        outcome = saved_run.state["outcome"]
        if outcome.status == "failed":
            raise EndpointError(502, f"{outcome.headline} Saved as {run}; continue there", outcome.reason)

    def count_start(self, key: str) -> None:
        """Count a new run of the client with this key. Raises `InputError` after too many in a minute."""
        if not self._rate.try_acquire(key):
            raise InputError("rate", self._rate.limit, "the limit of starts per minute is reached; wait a minute")

    async def _start_run(self, request: RunRequest, key: str, body: str) -> str:
        """Start a run and return its name. If the client leaves before the first step, stop the run.

        `key`: key of the client. `body`: digest of the request.
        """
        self.count_start(key)
        names: list[str] = []

        def keep_name(name: str) -> None:
            names.append(name)
            self.room.driver.awaited_runs.add(name)

        start_task = asyncio.create_task(self.room.driver.start_run(request, sorted(request.models), keep_name))
        try:
            run = await asyncio.shield(start_task)
        except asyncio.CancelledError:
            for name in names:  # its first step may be long
                self.stop_run(name)
            start_task.add_done_callback(self._stop_unclaimed_run)
            raise
        self._requests[run] = key, body
        while len(self._requests) > 1000:
            oldest_run, _ = self._requests.popitem(last=False)
            self.filled_forms.pop(oldest_run, None)
        return run

    async def _resume_left_run(self, run: str) -> bool:
        """Wait until a run that lost its listeners has stopped, and resume it.

        Return whether the run still exists.
        """
        while run in self._stopped_runs and self.room.driver.is_driving(run):
            await asyncio.sleep(0.05)
        self._stopped_runs.discard(run)
        try:
            saved_run = await load_saved_run(self.room.store, run)
        except InputError:  # it was deleted
            return False
        if not saved_run.has_ended:
            self.room.driver.awaited_runs.add(run)
            await self.room.driver.resume_run(run)
        return True

    @contextmanager
    def _count_listener(self, run: str) -> Iterator[None]:
        self._listener_counts[run] += 1
        try:
            yield
        finally:
            self._listener_counts[run] -= 1
            if not self._listener_counts[run]:
                del self._listener_counts[run]
                self.stop_run(run)

    def _stop_unclaimed_run(self, start_task: "asyncio.Task[str]") -> None:
        if start_task.exception() is None:
            self.stop_run(start_task.result())

    def stop_run(self, run: str) -> bool:
        """Stop a run after its current calls. Return whether this room was executing it."""
        if is_driven := self.room.driver.is_driving(run):
            self._stopped_runs = {name for name in self._stopped_runs if self.room.driver.is_driving(name)} | {run}
            self.room.driver.stop_run(run, CLIENT_LEFT)
        return is_driven
