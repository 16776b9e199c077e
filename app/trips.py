"""A saver in SQLite whose writes are trips to the connection's thread; those that wait share the next one."""

import asyncio
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from .line import Line, OneTransaction

T = TypeVar("T")
Work = Callable[[SqliteSaver], Any]


@dataclass
class Batch:
    """What is saved in one trip."""

    works: list[Work]
    saving: "asyncio.Task[list[Any]] | None" = None


class Trips(AsyncSqliteSaver):
    """The library's saver, given work of several statements; what several runs save meanwhile shares the next trip.

    What fails half-way is undone, not kept.
    """

    conn: Line
    _waiting: Batch | None = None

    async def saved(self, work: Work) -> Any:
        """What comes of `work`, done together with what else waits; alone if that fails, so only a culprit fails."""
        if not self.lock.locked():
            return await self.trip(work)
        batch = self._waiting = self._waiting or Batch([])
        place = len(batch.works)
        batch.works.append(work)
        batch.saving = batch.saving or asyncio.create_task(self._all_of(batch))
        await asyncio.wait([batch.saving])
        if len(batch.works) > 1 and batch.saving.exception():
            return await self.trip(work)
        return batch.saving.result()[place]

    async def _all_of(self, batch: Batch) -> list[Any]:
        await self.setup()
        async with self.lock:
            self._waiting = None
            return await self._done(lambda saver: [work(saver) for work in batch.works])

    async def trip(self, work: Callable[[SqliteSaver], T]) -> T:
        """What comes of `work`, done in one transaction."""
        await self.setup()
        async with self.lock:
            return await self._done(work)

    async def _done(self, work: Callable[[SqliteSaver], T]) -> T:
        def whole(connection: sqlite3.Connection) -> T:
            with connection:
                return work(OneTransaction(connection, serde=self.serde))

        return await self.conn.trip(whole)
