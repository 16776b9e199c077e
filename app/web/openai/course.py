"""Runs that clients of the endpoint began: followed to their end, stopped when nobody listens, found again."""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import NamedTuple

from ....state.refused import Refused
from ...request import Request
from ...saved import Saved, load
from ..course import START, standing
from ..guard import Rate
from ..hub import Watcher
from ..room import Room
from .errors import Fault

SILENCE = 10.0
"""Seconds after which a listener is sent a sign that the run goes on."""

ASKED, MINUTE = 20, 60.0
"""Deliberations that one key may begin in a minute."""

REMEMBERED = 1000
"""Requests whose runs are known when they are sent again."""

REST = 0.05
"""Seconds between two looks whether a run has come to rest."""


class Sender(NamedTuple):
    """Who sent a request: with which key, the digest of its body, and whether a client's program sends it again."""

    key: str
    body: str
    again: bool


class Courses:
    """The runs of one endpoint. A run that nobody listens to any more stops after its current step, resumable."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self._listeners: Counter[str] = Counter()
        self._begun: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._stopped = set[str]()
        self._rate = Rate(ASKED, MINUTE)

    @asynccontextmanager
    async def begun(self, asked: Request, sender: Sender) -> AsyncIterator[str]:
        """Within the block, a run is listened to: a new one, or the one that began when the request was sent before."""
        if run := self._begun.get((sender.key, sender.body), "") if sender.again else "":
            with self._heard(run):  # before anything is awaited: meanwhile, who sent it first may be found gone
                if await self._gone_on(run):
                    yield run
                    return
        run = await self._new(asked, sender)
        with self._heard(run):
            yield run

    async def course(self, run: str) -> AsyncGenerator[Saved | None, None]:
        """The run as it is saved, whenever there is news, at last as it ended; none where there was none for a while.

        Raises `Fault` where it comes to no end.
        """
        watcher = await self.room.hub.enter(run, START)
        try:
            while not watcher.cut:
                yield (saved := await self._news(run, watcher))
                if saved and saved.finished:
                    _check(saved)
                    return
        finally:
            self.room.hub.leave(run, watcher)
        raise Fault(503, f"the room has closed; saved as {run}, go on there", "stopped")

    async def _news(self, run: str, watcher: Watcher) -> Saved | None:
        is_silent = False
        try:
            await asyncio.wait_for(watcher.queue.get(), SILENCE)
        except TimeoutError:
            is_silent = True
        while not watcher.queue.empty():
            watcher.queue.get_nowait()
        saved = await self.room.hub.saved(run)
        if not saved.finished and await self._goes_on(run):
            return None if is_silent else saved
        saved = await load(self.room.store, run)
        if not saved.finished:
            why = self.room.driver.faults.get(run, "") or saved.run.fault or standing(saved, held=False)
            raise Fault(503, f"{why}; saved as {run}, go on there", "stopped")
        return saved

    async def _goes_on(self, run: str) -> bool:
        """Whether it is driven here or elsewhere, or a worker has it in hand or is to take it."""
        driver = self.room.driver
        return driver.drives(run) or await self.room.store.is_held(run) or await driver.waits_for_worker(run)

    async def _new(self, asked: Request, sender: Sender) -> str:
        """A new run, which stops where its client leaves before it has begun."""
        if not self._rate.allows(sender.key):
            raise Refused("rate", ASKED, "as many were begun as may be in a minute; wait")
        beginning = asyncio.create_task(self.room.driver.begin(asked))
        try:
            run = await asyncio.shield(beginning)
        except asyncio.CancelledError:
            beginning.add_done_callback(self._unheard)
            raise
        self._begun[sender.key, sender.body] = run
        while len(self._begun) > REMEMBERED:
            self._begun.popitem(last=False)
        return run

    async def _gone_on(self, run: str) -> bool:
        """Go on with a run that was left, once it has come to rest; whether it is still there."""
        while run in self._stopped and self.room.driver.drives(run):
            await asyncio.sleep(REST)
        self._stopped.discard(run)
        try:
            saved = await load(self.room.store, run)
        except Refused:  # it was deleted
            return False
        if not saved.finished:
            await self.room.driver.resume(run)
        return True

    @contextmanager
    def _heard(self, run: str) -> Iterator[None]:
        """Within the block, somebody listens to a run; when the last one leaves it stops."""
        self._listeners[run] += 1
        try:
            yield
        finally:
            self._listeners[run] -= 1
            if not self._listeners[run]:
                del self._listeners[run]
                self._rest(run)

    def _unheard(self, beginning: "asyncio.Task[str]") -> None:
        if beginning.exception() is None:
            self._rest(beginning.result())

    def _rest(self, run: str) -> None:
        if self.room.driver.drives(run):
            self._stopped = {one for one in self._stopped if self.room.driver.drives(one)} | {run}
            self.room.driver.stop(run)


def _check(saved: Saved) -> None:
    """Raise `Fault` for a run that ended without what it was asked for."""
    outcome = saved.state["outcome"]
    if outcome.status == "failed":
        raise Fault(502, f"{outcome.headline} Saved as {saved.run.run}, go on there", outcome.reason)
