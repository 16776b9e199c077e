"""Queue of the remaining runs; an arm waits for the end of its talk."""

import asyncio
from collections.abc import Collection, Sequence

from .planned_runs import PlannedRun


class RunQueue:
    """Remaining runs in order; a run waits for its prerequisites."""

    def __init__(self, planned_runs: Sequence[PlannedRun], ended_names: Collection[str]) -> None:
        """Start the queue.

        `ended_names`: names of the runs that are done or failed.
        """
        self._remaining_runs, self._ended_names = list(planned_runs), set(ended_names)
        self._end_count_by_run = dict[str, int]()
        self._end_count = 0
        self._change_condition = asyncio.Condition()

    async def take_next_run(self) -> PlannedRun | None:
        """Take the next run that can begin; wait while a remaining run depends on a running one.

        Returns `None` if no further run can begin in this process.
        """
        async with self._change_condition:
            while True:
                next_run = next(
                    (
                        planned_run
                        for planned_run in self._remaining_runs
                        if self._ended_names.issuperset(planned_run.prerequisites)
                    ),
                    None,
                )
                if next_run is not None:
                    self._remaining_runs.remove(next_run)
                    self._end_count_by_run[next_run.run] = self._end_count
                    return next_run
                if not any(self._can_begin_later(planned_run) for planned_run in self._remaining_runs):
                    return None
                await self._change_condition.wait()

    def _can_begin_later(self, planned_run: PlannedRun) -> bool:
        expected_names = set(self._end_count_by_run) | {
            candidate.run for candidate in self._remaining_runs if not candidate.prerequisites
        }
        return all(run in self._ended_names or run in expected_names for run in planned_run.prerequisites)

    async def finish_run(self, planned_run: PlannedRun, has_ended: bool) -> None:
        """Record that a run is no longer running.

        `has_ended`: `True` for a run that is done or failed.
        """
        async with self._change_condition:
            del self._end_count_by_run[planned_run.run]
            self._end_count += 1
            if has_ended:
                self._ended_names.add(planned_run.run)
            self._change_condition.notify_all()

    async def put_back_run(self, planned_run: PlannedRun) -> bool:
        """Put back a run that could not begin, and wait until a running one ends.

        Returns `False` if no other run is running.
        """
        async with self._change_condition:
            has_other_ended = self._end_count > self._end_count_by_run.pop(planned_run.run)
            self._remaining_runs.insert(0, planned_run)
            if has_other_ended:
                return True
            if self._end_count_by_run:
                await self._change_condition.wait()
                return True
            self._change_condition.notify_all()
            return False
