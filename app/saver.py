"""Checkpoints in SQLite, each write saved in one trip to the connection's thread.

The library's asynchronous saver makes four trips for one write (cursor, statement, commit, close), and a trip wakes
two threads; its synchronous saver is the same four lines without trips. So that one is run over there as a whole.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, TypeVar

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

T = TypeVar("T")


class Line(aiosqlite.Connection):
    """A connection that can be given work of several statements."""

    async def trip(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do `work` in the connection's thread."""
        done: T = await self._execute(lambda: work(self._conn))  # type: ignore[no-untyped-call]
        return done


class AllOrNothing(SqliteSaver):
    """The library's synchronous saver on tables that are there; what fails half-way is undone, not kept."""

    @contextmanager
    def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
        """A cursor for one transaction."""
        with self.conn, closing(self.conn.cursor()) as cursor:
            yield cursor


class Saver(AsyncSqliteSaver):
    """The library's saver, writing in one trip."""

    conn: Line

    async def aput(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, versions: ChannelVersions
    ) -> RunnableConfig:
        """Save a checkpoint."""
        return await self._trip(lambda saver: saver.put(config, checkpoint, metadata, versions))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save what a step wrote."""
        await self._trip(lambda saver: saver.put_writes(config, writes, task_id, task_path))

    def get_next_version(self, current: str | None, channel: None) -> str:
        """The next version of a channel, without the random tail that no reader of one file needs.

        Every checkpoint repeats the versions of all channels: the tails were a quarter of it.
        """
        return super().get_next_version(current, channel).split(".")[0]

    async def _trip(self, work: Callable[[SqliteSaver], T]) -> T:
        await self.setup()
        async with self.lock:
            return await self.conn.trip(lambda connection: work(AllOrNothing(connection, serde=self.serde)))
