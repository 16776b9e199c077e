"""A saver in SQLite that writes in the connection's thread; writes that wait for it share one transaction."""

import asyncio
import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import aiosqlite
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

T = TypeVar("T")

PLACES = re.compile(r"IN \([?,]+\)|\?")
"""The placeholders of an SQL statement: a list of values, or one."""


class Connection(aiosqlite.Connection):
    """A connection that can be given work of several statements."""

    async def in_thread(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do `work` in the connection's thread."""
        done: T = await self._execute(lambda: work(self._conn))  # type: ignore[no-untyped-call]
        return done


class Listing(sqlite3.Cursor):
    """A cursor that binds every list of values as one value.

    A growing channel is read back by naming each checkpoint since it was last saved whole, for every such channel: in
    a long run more values than SQLite takes in one statement (32,766 as it is usually built, 999 before 3.32).
    """

    def execute(self, statement: str, values: Sequence[Any] = ()) -> "Listing":  # type: ignore[override]
        """Run a statement with `?` for its values."""
        left, bound = iter(values), list[Any]()

        def bind(place: re.Match[str]) -> str:
            many = place[0].count("?") if place[0] != "?" else 0
            bound.append(json.dumps([next(left) for _ in range(many)]) if many else next(left))
            return "IN (SELECT value FROM json_each(?))" if many else "?"

        return super().execute(PLACES.sub(bind, statement), bound)


class OneTransaction(SqliteSaver):
    """The library's synchronous saver on tables that exist, within a transaction that its caller ends."""

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """A cursor."""
        with closing(self.conn.cursor(Listing)) as cursor:
            yield cursor


Work = Callable[[SqliteSaver], Any]


@dataclass
class Batch:
    """What is saved in one transaction."""

    works: list[Work]
    saving: "asyncio.Task[list[Any]] | None" = None


class TransactionSaver(AsyncSqliteSaver):
    """The library's saver, given work of several statements; what several runs save meanwhile shares a transaction.

    What fails half-way is undone, not kept. `check` raises where what was saved is not where it will be looked for.
    """

    conn: Connection
    _waiting: Batch | None = None

    def __init__(self, conn: Connection, *, serde: Any = None, check: Callable[[], None] = lambda: None) -> None:
        super().__init__(conn, serde=serde)
        self._check = check

    async def saved(self, work: Work) -> Any:
        """The result of `work`, done in one transaction with what else waits; alone if that fails."""
        if not self.lock.locked():
            return await self.in_thread(work)
        batch = self._waiting = self._waiting or Batch([])
        place = len(batch.works)
        batch.works.append(work)
        batch.saving = batch.saving or asyncio.create_task(self._all_of(batch))
        await asyncio.wait([batch.saving])
        if len(batch.works) > 1 and batch.saving.exception():
            return await self.in_thread(work)
        return batch.saving.result()[place]

    async def _all_of(self, batch: Batch) -> list[Any]:
        await self.setup()
        async with self.lock:
            self._waiting = None
            return await self._done(lambda saver: [work(saver) for work in batch.works])

    async def in_thread(self, work: Callable[[SqliteSaver], T]) -> T:
        """The result of `work`, done in one transaction."""
        await self.setup()
        async with self.lock:
            return await self._done(work)

    async def _done(self, work: Callable[[SqliteSaver], T]) -> T:
        def whole(connection: sqlite3.Connection) -> T:
            with connection:
                done = work(OneTransaction(connection, serde=self.serde))
            self._check()
            return done

        return await self.conn.in_thread(whole)
