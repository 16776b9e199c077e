"""SQLite saver that writes in the connection's thread, with one transaction for all waiting writes."""

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

PLACEHOLDERS = re.compile(r"IN \([?,]+\)|\?")
"""Pattern of a placeholder in an SQL statement, for a list of values or for one."""


class WorkConnection(aiosqlite.Connection):
    """SQLite connection that can run several statements as one piece of work."""

    async def run_in_thread(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` in the connection's thread, and return its result."""
        result: T = await self._execute(lambda: work(self._conn))  # type: ignore[no-untyped-call]
        return result


class ListCursor(sqlite3.Cursor):
    """Cursor that passes each list of values as a single JSON value.

    LangGraph reads a growing channel by the ids of all checkpoints since its last full save. In a long run, these are
    more values than SQLite accepts in one statement (32,766 by default, 999 before 3.32).
    """

    def execute(self, statement: str, values: Sequence[Any] = ()) -> "ListCursor":  # type: ignore[override]
        """Run a statement with `?` for each value, and `?` for each list of values."""
        remaining_values, bound_values = iter(values), list[Any]()

        def bind_placeholder(placeholder: re.Match[str]) -> str:
            count = placeholder[0].count("?") if placeholder[0] != "?" else 0
            bound_values.append(
                json.dumps([next(remaining_values) for _ in range(count)]) if count else next(remaining_values)
            )
            return "IN (SELECT value FROM json_each(?))" if count else "?"

        return super().execute(PLACEHOLDERS.sub(bind_placeholder, statement), bound_values)


class InnerTransactionSaver(SqliteSaver):
    """LangGraph's synchronous SQLite saver on existing tables. The caller ends the transaction."""

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """Open a cursor that binds lists as JSON. `transaction` is ignored."""
        with closing(self.conn.cursor(ListCursor)) as cursor:
            yield cursor


Work = Callable[[SqliteSaver], Any]


@dataclass
class Batch:
    """Pieces of work to save in one transaction."""

    works: list[Work]
    save_task: "asyncio.Task[list[Any]] | None" = None


class TransactionSaver(AsyncSqliteSaver):
    """LangGraph's asynchronous SQLite saver, whose transactions contain several pieces of work.

    Saves of several runs share a transaction. Failed work is rolled back. `check` raises an error if the path no longer
    leads to the open file. Copies of a saver, which LangGraph makes for inner graphs, share its lock and its waiting
    work.
    """

    conn: WorkConnection

    def __init__(self, conn: WorkConnection, *, serde: Any = None, check: Callable[[], None] = lambda: None) -> None:
        super().__init__(conn, serde=serde)
        self._check = check
        self._waiting_batches = list[Batch]()

    async def save_work(self, work: Work) -> Any:
        """Run `work` in one transaction with other waiting work, and return its result.

        If the transaction fails, run `work` alone.
        """
        if not self.lock.locked():
            return await self.run_in_thread(work)
        if not self._waiting_batches:
            self._waiting_batches.append(Batch([]))
        batch = self._waiting_batches[0]
        index = len(batch.works)
        batch.works.append(work)
        batch.save_task = batch.save_task or asyncio.create_task(self._save_batch(batch))
        await asyncio.wait([batch.save_task])
        if len(batch.works) > 1 and batch.save_task.exception():
            return await self.run_in_thread(work)
        return batch.save_task.result()[index]

    async def _save_batch(self, batch: Batch) -> list[Any]:
        await self.setup()
        async with self.lock:
            self._waiting_batches.clear()
            return await self._run_transaction(lambda saver: [work(saver) for work in batch.works])

    async def run_in_thread(self, work: Callable[[SqliteSaver], T]) -> T:
        """Run `work` in a transaction of its own, and return its result."""
        await self.setup()
        async with self.lock:
            return await self._run_transaction(work)

    async def _run_transaction(self, work: Callable[[SqliteSaver], T]) -> T:
        def run_in_transaction(connection: sqlite3.Connection) -> T:
            with connection:
                result = work(InnerTransactionSaver(connection, serde=self.serde))
            self._check()
            return result

        return await self.conn.run_in_thread(run_in_transaction)
