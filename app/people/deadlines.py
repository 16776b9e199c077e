"""Deadlines that hold by themselves, while a process looks after them: one task, asleep until the next one is over."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta

from ...nodes.clock import now
from ...nodes.models.failures import Stopped
from ...state.refused import Refused
from ..saved import Run, Store, state_of

AGAIN = 30.0
"""Seconds after which they are read again at the latest: another process may have stored an earlier one."""
CUT = timedelta(milliseconds=1)
"""How much of a time is cut where it is written."""

GoOn = Callable[[str], Awaitable[None]]
"""Has a run go on, which enters what has fallen due. What it raises is its own to tell: the run is tried again."""


class Deadlines:
    """The deadlines of all runs of a database but those of experiments, which are looked after by their own process."""

    def __init__(self, store: Store, go_on: GoOn) -> None:
        self.store, self.go_on = store, go_on
        self.changed = asyncio.Event()

    async def keep(self) -> None:
        """Hold every deadline, until this is cancelled; `changed` says that another one may be next."""
        await self.catch_up()
        while True:
            self.changed.clear()
            due = await self.hold(now())
            seconds = (due - now()).total_seconds() if due else AGAIN
            with suppress(TimeoutError):
                await asyncio.wait_for(self.changed.wait(), min(max(0.0, seconds), AGAIN))

    async def catch_up(self) -> None:
        """Write down what a process that died had no time to: until when its run waits."""
        for row in await self._waiting():
            with suppress(Refused, Stopped):
                if not row.due and (found := (await state_of(self.store, row)).row()).due:
                    async with self.store.lock(row.run):
                        await self.store.runs.save(found)

    async def hold(self, moment: datetime) -> datetime | None:
        """Have every run go on for which somebody's time is over by `moment`; gives when the next one's is."""
        for row in await self._waiting():
            if (due := over(row)) and due <= moment:
                await self.go_on(row.run)
        ends = [due for row in await self._waiting() if (due := over(row)) and due > moment]
        return min(ends, default=None)

    async def _waiting(self) -> list[Run]:
        """The runs that may wait for somebody."""
        every = [row for row in await self.store.runs.all() if not (row.finished or row.experiment)]
        return [row for row in every if not await self.store.is_held(row.run)]


def over(row: Run) -> datetime | None:
    """When the next time of those a run waits for is over; none: never."""
    return datetime.fromisoformat(row.due) + CUT if row.due else None
