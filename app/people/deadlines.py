"""Deadlines of people, enforced by one task that sleeps until the next deadline."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta

from ...models.failures import RunStoppedError
from ...state.errors import InputError
from ...storage.clock import get_time
from ..saved import Run, Store, load_state

REREAD_INTERVAL = 30.0
"""Seconds until deadlines are read again: another process may have stored an earlier one."""
ROUNDING_LOSS = timedelta(milliseconds=1)
"""Time that rounding may remove from a stored deadline."""

RunResumer = Callable[[str], Awaitable[None]]
"""Function that continues a run and records missed deadlines.

It reports its own exceptions; the run is retried.
"""


class Deadlines:
    """Deadlines of all runs of a database, except those of experiments, which their own process enforces."""

    def __init__(self, store: Store, resume_run: RunResumer) -> None:
        self.store, self.resume_run = store, resume_run
        self.changed = asyncio.Event()

    async def enforce_all(self) -> None:
        """Enforce every deadline until this task is cancelled; `changed` announces a new deadline."""
        await self.save_missing_times()
        while True:
            self.changed.clear()
            due = await self.resume_overdue(get_time())
            seconds = (due - get_time()).total_seconds() if due else REREAD_INTERVAL
            with suppress(TimeoutError):
                await asyncio.wait_for(self.changed.wait(), min(max(0.0, seconds), REREAD_INTERVAL))

    async def save_missing_times(self) -> None:
        """Save the deadlines of waiting runs whose process died before it could save them."""
        for row in await self._list_waiting_runs():
            with suppress(InputError, RunStoppedError):
                if not row.due and (updated_row := (await load_state(self.store, row)).build_row()).due:
                    async with self.store.lock(row.run):
                        await self.store.runs.save_run(updated_row)

    async def resume_overdue(self, moment: datetime) -> datetime | None:
        """Resume every run with a deadline up to `moment`, and return the next deadline or `None`."""
        for row in await self._list_waiting_runs():
            if (due := compute_due_time(row)) and due <= moment:
                await self.resume_run(row.run)
        ends = [due for row in await self._list_waiting_runs() if (due := compute_due_time(row)) and due > moment]
        return min(ends, default=None)

    async def _list_waiting_runs(self) -> list[Run]:
        """List the runs that may wait for a person."""
        open_rows = [row for row in await self.store.runs.list_runs() if not (row.finished or row.experiment)]
        return [row for row in open_rows if not await self.store.is_held(row.run)]


def compute_due_time(row: Run) -> datetime | None:
    """Return the next deadline of a run, or `None` without one."""
    return datetime.fromisoformat(row.due) + ROUNDING_LOSS if row.due else None
