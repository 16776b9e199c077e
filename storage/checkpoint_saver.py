"""Checkpoint saver for SQLite, with one transaction per superstep.

The writes of a node that ran alone are saved with the checkpoint that follows immediately. The writes of a parallel
branch are saved separately, because the checkpoint waits for the other branches.

Ids of new checkpoints are always later than those read. Damage raises a one-line error.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from typing import Any, cast
from uuid import UUID

import langgraph.checkpoint.base.id as ids
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.sqlite import SqliteSaver

from ..state import InputError
from .langgraph_internals import EDGE_PATH_PREFIX, LOOKUP_MARK
from .spend_journal import SpendJournal, Statement
from .transaction import TransactionSaver, Work

DAMAGE_ERRORS = (ValueError, TypeError, LookupError, AttributeError, EOFError, NotImplementedError)


class CheckpointReader(BaseCheckpointSaver[Any]):
    """Mixin of a checkpoint saver, which gives new checkpoints later ids than those read.

    An id begins with a time, and savers treat the greatest id as the newest. If this machine's clock is behind, a new
    checkpoint would seem older than its predecessor. So new ids continue after those read.
    """

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint and the writes that follow it; `None` without one.

        Raises `InputError` if the checkpoint is damaged.
        """
        with report_damage(config):
            checkpoint = await super().aget_tuple(config)
            if checkpoint and (ticks := _parse_ticks(checkpoint.checkpoint["id"])) > (ids._last_v6_timestamp or 0):
                ids._last_v6_timestamp = ticks  # type: ignore[assignment]
            return checkpoint

    async def alist(self, config: RunnableConfig | None, **filters: Any) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, newest first. Raises `InputError` if one is damaged."""
        async with aclosing(cast(Any, super().alist(config, **filters))) as checkpoints:
            while True:
                with report_damage(config):
                    checkpoint = await anext(checkpoints, None)
                if checkpoint is None:
                    return
                yield checkpoint


@contextmanager
def report_damage(config: RunnableConfig | None) -> Iterator[None]:
    """Convert errors from unreadable bytes within the `with` block to a one-line error about damage."""
    try:
        yield
    except InputError:
        raise
    except DAMAGE_ERRORS as error:
        run = (config or {}).get("configurable", {}).get("thread_id")
        raise InputError(
            "run", run, f"the saved data of this run are damaged ({type(error).__name__}); restore a copy"
        ) from None


def _parse_ticks(checkpoint: str) -> int:
    uuid = UUID(checkpoint)
    return (uuid.time_low << 28 | uuid.time_mid << 12 | uuid.time_hi_version & 0xFFF) if uuid.version == 6 else 0


CheckpointKey = tuple[str, str, str]
"""Key of a checkpoint: the run, the graph within the run, and the checkpoint's id."""

FIND_INNER_CHECKPOINTS = (
    "SELECT DISTINCT checkpoint_ns FROM checkpoints WHERE thread_id = ? AND checkpoint_ns >= ? AND checkpoint_ns < ? "
    "AND instr(checkpoint_ns, ':') > 0 AND CAST(metadata AS TEXT) LIKE ?"
)
"""Query for the namespaces of the graphs inside a step, except graphs with a memory of their own.

The namespace of such a graph contains no colon.
"""
NO_VERSION = "0000000"
"""Version of a channel before its first."""
FLUSH_DELAY = 0.05
"""Seconds until deferred writes are saved without their checkpoint, if it waits for another node."""


class SqliteRunSaver(CheckpointReader, TransactionSaver):
    """LangGraph's SQLite saver, with one transaction per superstep.

    A run begins its next superstep after the last one is saved. Deferred writes are saved with the checkpoint that they
    lead to. `journal`: journal of paid requests. Requests are recorded there with the writes of their task.
    """

    journal: SpendJournal | None = None
    _flush_timer: asyncio.TimerHandle | None = None
    _flush_task: "asyncio.Future[list[Any]] | None" = None

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._deferred_writes = dict[CheckpointKey, dict[str, Work]]()

    async def aput(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, versions: ChannelVersions
    ) -> RunnableConfig:
        """Save a checkpoint, with the deferred writes of the preceding superstep."""
        deferred_writes = dict(
            self._deferred_writes.pop(_get_checkpoint_key(config), {})
        )  # a flush in progress may still take from them

        def save_checkpoint(saver: SqliteSaver) -> RunnableConfig:
            for write in deferred_writes.values():
                write(saver)
            delete_inner_checkpoints(saver, config)
            return saver.put(config, checkpoint, metadata, versions)

        result: RunnableConfig = await self.save_work(save_checkpoint)
        self._record_tasks(deferred_writes)
        return result

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save the writes of a node, or keep them for the next checkpoint if the node ends the superstep."""

        def save_writes(saver: SqliteSaver) -> None:
            saver.put_writes(config, writes, task_id, task_path)

        if can_defer(writes, task_path):
            self._deferred_writes.setdefault(_get_checkpoint_key(config), {})[task_id] = save_writes
            self._flush_timer = self._flush_timer or asyncio.get_running_loop().call_later(
                FLUSH_DELAY, self._start_flush
            )
        else:
            await self.save_work(save_writes)
            self._record_tasks([task_id])

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint and the writes that follow it; `None` without one."""
        await self.flush_writes(_get_checkpoint_key(config)[0])
        return await super().aget_tuple(config)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return the writes to delta channels since the last checkpoint that stored their full values."""
        with report_damage(config):
            return await self.run_in_thread(
                lambda saver: saver.get_delta_channel_history(config=config, channels=channels)
            )

    async def commit_sql(self, statements: Sequence[Statement]) -> None:
        """Run SQL statements in one transaction, together with other statements that wait to be saved."""

        def run_statements(saver: SqliteSaver) -> None:
            for statement, values in statements:
                saver.conn.execute(statement, values)

        await self.save_work(run_statements)

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return the next version of a channel as 7 digits, or as many as the current one has.

        Every checkpoint repeats the versions of all channels, which are compared as texts. LangGraph's own versions are
        padded and have random digits, which would make up half of a checkpoint. A database in a single file needs
        neither.
        """
        return f"{int(current or 0) + 1:0{len(current or NO_VERSION)}}"

    async def flush_writes(self, thread: str | None = None) -> None:
        """Save the deferred writes of the run `thread`, or of all runs if it is `None`."""
        for key in [key for key in self._deferred_writes if thread in (None, key[0])]:
            await self._flush_writes(key)

    async def _flush_writes(self, key: CheckpointKey) -> None:
        deferred_writes = self._deferred_writes.get(key, {})
        flushed_writes = dict(deferred_writes)
        await self.save_work(lambda saver: [work(saver) for work in flushed_writes.values()])
        self._record_tasks(flushed_writes)
        for task_id in [id for id, work in flushed_writes.items() if deferred_writes.get(id) is work]:
            del deferred_writes[task_id]
        if not deferred_writes and self._deferred_writes.get(key) is deferred_writes:
            del self._deferred_writes[key]

    def _record_tasks(self, tasks: Iterable[str]) -> None:
        if self.journal:
            for task in tasks:
                self.journal.record_task(task)

    def _start_flush(self) -> None:
        self._flush_timer = None
        flushes = [self._flush_writes(key) for key in self._deferred_writes]
        self._flush_task = asyncio.gather(*flushes, return_exceptions=True) if flushes else None


def delete_inner_checkpoints(saver: SqliteSaver, config: RunnableConfig) -> None:
    """Delete the checkpoints of inner graphs in the step that a checkpoint completes.

    Look-ups and agents run in inner graphs. `config`: config of the checkpoint.
    """
    fields = config["configurable"]
    namespace = str(fields.get("checkpoint_ns", ""))
    start = f"{namespace}|" if namespace else "\x01"
    values = (str(fields["thread_id"]), start, f"{namespace}}}" if namespace else "\U0010ffff")
    with saver.cursor() as cursor:
        cursor.execute(FIND_INNER_CHECKPOINTS, (*values, f'%"{LOOKUP_MARK}"%'))
        for (inner_namespace,) in cursor.fetchall():
            for table in ("checkpoints", "writes"):
                cursor.execute(
                    f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_ns = ?", (values[0], inner_namespace)
                )


def can_defer(writes: Sequence[tuple[str, Any]], task_path: str) -> bool:
    """Return whether the writes of a node can be saved with the next checkpoint.

    The node must follow an edge, must not have failed, and must not wait for an answer.
    """
    return task_path.startswith(EDGE_PATH_PREFIX) and not any(channel in WRITES_IDX_MAP for channel, _ in writes)


def _get_checkpoint_key(config: RunnableConfig) -> CheckpointKey:
    fields = config["configurable"]
    return str(fields["thread_id"]), str(fields.get("checkpoint_ns", "")), str(fields.get("checkpoint_id", ""))
