"""Which run is begun next: the first whose talk has ended, where it is an arm."""

import asyncio
from collections.abc import Collection, Sequence

from .draw import Trial


class Queue:
    """The runs that are left, in order. `ended`: runs that came to a result or failed."""

    def __init__(self, trials: Sequence[Trial], ended: Collection[str]) -> None:
        self._left, self._ended = list(trials), set(ended)
        self._under_way = dict[str, int]()
        self._ends = 0
        self._changed = asyncio.Condition()

    async def next(self) -> Trial | None:
        """The next run that can begin, waited for where that hangs on one under way; none: no more can begin here."""
        async with self._changed:
            while True:
                ready = next((one for one in self._left if self._ended.issuperset(one.needs)), None)
                if ready is not None:
                    self._left.remove(ready)
                    self._under_way[ready.run] = self._ends
                    return ready
                if not any(self._may_yet(one) for one in self._left):
                    return None
                await self._changed.wait()

    def _may_yet(self, one: Trial) -> bool:
        coming = set(self._under_way) | {other.run for other in self._left if not other.needs}
        return all(run in self._ended or run in coming for run in one.needs)

    async def left(self, trial: Trial, ended: bool) -> None:
        """A run is no longer under way; `ended`: it came to a result or failed."""
        async with self._changed:
            del self._under_way[trial.run]
            self._ends += 1
            if ended:
                self._ended.add(trial.run)
            self._changed.notify_all()

    async def put_back(self, trial: Trial) -> bool:
        """Take back a run that could not begin, and wait until one under way has left; false: there was none."""
        async with self._changed:
            has_left = self._ends > self._under_way.pop(trial.run)
            self._left.insert(0, trial)
            if has_left:
                return True
            if self._under_way:
                await self._changed.wait()
                return True
            self._changed.notify_all()
            return False
