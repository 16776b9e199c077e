"""Deadlines of runs that wait for people or servers.

One task sleeps until the next deadline and then resumes the runs that are due.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta

from ...models import RunStoppedError
from ...state import InputError
from ...storage import get_time
from ..run.parked_runs import is_ready_to_resume
from ..saved import Run, Store, load_state

REREAD_INTERVAL = 30.0
"""Seconds until deadlines are read again. Another process may have saved an earlier deadline."""
ROUNDING_LOSS = timedelta(milliseconds=1)
"""Time that rounding may remove from a stored deadline."""


class DeadlineEnforcer:
    """Task that enforces people's deadlines in all runs of a database, except those of experiments.

    Parked runs, and the runs of a room whose process died, are resumed too. The process of an experiment enforces the
    deadlines of its own runs. `resume_run`: function that continues a run and records missed deadlines. The function
    reports its own exceptions. After a failure, the run is tried again later.
    """

    def __init__(self, store: Store, resume_run: Callable[[str], Awaitable[None]]) -> None:
        self.store, self.resume_run = store, resume_run
        self.change_event = asyncio.Event()

    async def enforce_all(self) -> None:
        """Enforce every deadline until this task is cancelled.

        To announce a new deadline, set `change_event`.
        """
        await self.save_missing_deadlines()
        while True:
            self.change_event.clear()
            next_deadline = await self.resume_overdue(get_time())
            seconds = (next_deadline - get_time()).total_seconds() if next_deadline else REREAD_INTERVAL
            with suppress(TimeoutError):
                async with asyncio.timeout(min(max(0.0, seconds), REREAD_INTERVAL)):
                    await self.change_event.wait()

    async def save_missing_deadlines(self) -> None:
        """Save the deadlines of waiting runs whose process died before it could save them."""
        for run in await self._list_waiting_runs():
            with suppress(InputError, RunStoppedError):
                if not run.due_at and (updated_run := (await load_state(self.store, run)).build_row()).due_at:
                    async with self.store.lock(run.run):
                        await self.store.runs.save_run(updated_run)

    async def resume_overdue(self, moment: datetime) -> datetime | None:
        """Resume the runs that are due at `moment`, and return the next deadline, or `None`.

        Due are the runs whose deadline is `moment` or earlier, whose server is ready, or whose room died.
        """
        is_ready_by_wait: dict[tuple[str, str], bool] = {}
        for run in await self._list_waiting_runs():
            wait = run.waiting_for, run.retry_at
            if run.waiting_for and wait not in is_ready_by_wait:
                is_ready_by_wait[wait] = await is_ready_to_resume(run)
            if (
                run.is_driven
                or is_ready_by_wait.get(wait)
                or ((deadline := compute_due_time(run)) and deadline <= moment)
            ):
                await self.resume_run(run.run)
        deadlines = [compute_due_time(run) for run in await self._list_waiting_runs()]
        return min((deadline for deadline in deadlines if deadline and deadline > moment), default=None)

    async def _list_waiting_runs(self) -> list[Run]:
        return [
            run
            for run in await self.store.runs.list_runs()
            if not (run.is_finished or run.experiment or await self.store.is_held(run.run))
        ]


def compute_due_time(run: Run) -> datetime | None:
    """Return the next deadline of a run or of its server, or `None` without one."""
    times = [datetime.fromisoformat(time) for time in (run.due_at, run.retry_at) if time]
    return min(times) + ROUNDING_LOSS if times else None
