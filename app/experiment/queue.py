"""Queue of the remaining runs; an arm waits for the end of its talk."""

import asyncio
from collections.abc import Collection, Sequence

from .planned_runs import PlannedRun


class RunQueue:
    """Remaining runs in order."""

    def __init__(self, planned_runs: Sequence[PlannedRun], ended: Collection[str]) -> None:
        """Start the queue.

        `ended`: names of the runs that are done or failed.
        """
        self._remaining, self._ended = list(planned_runs), set(ended)
        self._running = dict[str, int]()
        self._end_count = 0
        self._changed = asyncio.Condition()

    async def take_next(self) -> PlannedRun | None:
        """Take the next run that can begin, and wait for a running one if it depends on it.

        Returns `None` if no further run can begin in this process.
        """
        async with self._changed:
            while True:
                ready = next(
                    (planned for planned in self._remaining if self._ended.issuperset(planned.prerequisites)), None
                )
                if ready is not None:
                    self._remaining.remove(ready)
                    self._running[ready.run] = self._end_count
                    return ready
                if not any(self._can_begin_later(planned) for planned in self._remaining):
                    return None
                await self._changed.wait()

    def _can_begin_later(self, planned: PlannedRun) -> bool:
        expected = set(self._running) | {candidate.run for candidate in self._remaining if not candidate.prerequisites}
        return all(run in self._ended or run in expected for run in planned.prerequisites)

    async def finish_run(self, planned: PlannedRun, has_ended: bool) -> None:
        """Record that a run is no longer running.

        `has_ended`: it is done or failed.
        """
        async with self._changed:
            del self._running[planned.run]
            self._end_count += 1
            if has_ended:
                self._ended.add(planned.run)
            self._changed.notify_all()

    async def put_back(self, planned: PlannedRun) -> bool:
        """Take back a run that could not begin and wait for a running one to end.

        Returns `False` if no other run is running.
        """
        async with self._changed:
            has_other_ended = self._end_count > self._running.pop(planned.run)
            self._remaining.insert(0, planned)
            if has_other_ended:
                return True
            if self._running:
                await self._changed.wait()
                return True
            self._changed.notify_all()
            return False
