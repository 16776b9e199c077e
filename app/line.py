"""A connection to SQLite that does several statements in one trip to its thread, in one transaction.

The library's asynchronous saver makes four trips for one write (cursor, statement, commit, close), and a trip wakes
two threads; its synchronous saver is the same four lines without trips. So that one is run over there as a whole.
"""

import json
import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, TypeVar

import aiosqlite
from langgraph.checkpoint.sqlite import SqliteSaver

T = TypeVar("T")

PLACES = re.compile(r"IN \([?,]+\)|\?")
"""Where a statement's values go: a list of them, or one."""


class Line(aiosqlite.Connection):
    """A connection that can be given work of several statements."""

    async def trip(self, work: Callable[[sqlite3.Connection], T]) -> T:
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
    """The library's synchronous saver on tables that are there, within a transaction its caller ends."""

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """A cursor."""
        with closing(self.conn.cursor(Listing)) as cursor:
            yield cursor
