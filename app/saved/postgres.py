"""Saved runs in a PostgreSQL database."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
)
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import errors
from psycopg.rows import DictRow, dict_row
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from ...nodes.address import without_password
from ...nodes.cipher import NAME, Cipher, serializer
from ...nodes.models.failures import Stopped
from .checkpoint_order import ReadBack, whole
from .endpoints import TABLES as ENDPOINTS
from .endpoints import Endpoints
from .experiments import TABLES as EXPERIMENTS
from .experiments import Experiments
from .lock_holder import held, me
from .runs import TABLE, Execute, Rows, Runs
from .seats import TABLES as SEATS
from .seats import Seats
from .store import Changed, Store

CONNECT_SECONDS = 10
KEEPALIVE = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
"""Seconds of silence before a connection is tried, on either side: the lock of a machine that is gone gets free."""
IDLE = "5s"
"""How long a transaction may wait for its process: what one that is frozen has locked would hold up all others."""
FROZEN = (psycopg.OperationalError, errors.IdleInTransactionSessionTimeout)
"""What a process meets that went on too late."""
KEY = "hashtextextended('moot:' || %s, 0)"
"""The number of a run's advisory lock."""

HELD = (
    "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted "
    f"AND (classid::bigint << 32) | objid::bigint = {KEY}) AS found"
)
"""Whether anybody holds it: a lock with a number of 64 bits is listed in two halves."""

CHANNEL = "moot_saved"
"""The channel on which the server tells that something was saved; the function and the triggers that tell it."""
TELLING = (
    f"CREATE OR REPLACE FUNCTION {CHANNEL}() RETURNS trigger LANGUAGE plpgsql AS "
    f"$$ BEGIN PERFORM pg_notify('{CHANNEL}', ''); RETURN NULL; END $$",
    *(
        statement
        for table in ("checkpoints", "checkpoint_writes")
        for statement in (
            f"DROP TRIGGER IF EXISTS {CHANNEL} ON {table}",
            f"CREATE TRIGGER {CHANNEL} AFTER INSERT OR UPDATE ON {table} EXECUTE FUNCTION {CHANNEL}()",
        )
    ),
)

COLLISIONS = (
    *(errors.UniqueViolation, errors.DuplicateTable, errors.DuplicateObject, errors.DeadlockDetected),
    errors.InternalError_,
)
"""What two processes that create the same tables may meet."""

TABLES = (
    "SELECT "
    + " AND ".join(
        f"to_regclass('{table}') IS NOT NULL"
        for table in ("moot_runs", "moot_trials", "moot_seats", "moot_tokens", "checkpoint_migrations")
    )
    + f" AND (SELECT count(*) FROM pg_trigger WHERE tgname = '{CHANNEL}') > 1 AS found"
)
NEWEST = "SELECT coalesce(max(v), -1) AS found FROM checkpoint_migrations"


class Saver(ReadBack, AsyncPostgresSaver):
    """The library's saver, reading as runs are read back.

    It keeps short values as plain text in the checkpoint itself; where there is a cipher they are encrypted there.
    """

    async def aput(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, versions: ChannelVersions
    ) -> RunnableConfig:
        """Save a checkpoint."""
        if cipher := self._cipher:
            values = {key: _each_text(value, cipher.seal) for key, value in checkpoint["channel_values"].items()}
            checkpoint = {**checkpoint, "channel_values": values}
        return await super().aput(config, checkpoint, metadata, versions)

    async def _load_checkpoint_tuple(self, value: DictRow) -> CheckpointTuple:
        if cipher := self._cipher:

            def unsealed(text: str) -> str:
                return cipher.unseal(text) if text.startswith(f"{NAME}:") else text

            kept = value["checkpoint"].get("channel_values") or {}
            told = {key: _each_text(one, unsealed) for key, one in kept.items()}
            value = {**value, "checkpoint": {**value["checkpoint"], "channel_values": told}}
        return await super()._load_checkpoint_tuple(value)

    @property
    def _cipher(self) -> Cipher | None:
        return getattr(self.serde, "cipher", None)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """What was written to growing channels since they were last saved whole."""
        with whole(config):
            return await super().aget_delta_channel_history(config=config, channels=channels)


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    return change(value) if isinstance(value, str) else value


@asynccontextmanager
async def open_postgres(address: str, cipher: Cipher | None) -> AsyncIterator[Store]:
    """Connect twice, for checkpoints and for rows and locks, and make the tables if they are missing."""
    shown = without_password(address)

    with losing(shown):
        async with await connected(address) as checkpoints, await connected(address) as rows:
            saver = Saver(checkpoints, serde=serializer(cipher))
            await set_up(checkpoints, saver)
            runs = Runs(executing(rows), cipher, "checkpoint_writes")
            locks = Locks(rows, runs)
            experiments = Experiments(executing(rows), partial(in_transaction, address), cipher)
            endpoints = Endpoints(executing(rows))

            @asynccontextmanager
            async def changes() -> AsyncIterator[Changed]:
                """Have the server tell, on a connection of its own."""
                async with await connected(address) as listening:
                    await listening.execute(f"LISTEN {CHANNEL}".encode())

                    async def changed(seconds: float) -> bool:
                        return bool([one async for one in listening.notifies(timeout=seconds, stop_after=1)])

                    yield changed

            private, seats = cipher is not None, Seats(executing(rows), cipher)
            yield Store(shown, saver, runs, locks.hold, locks.is_held, private, experiments, seats, changes, endpoints)


async def connected(address: str, *, autocommit: bool = True) -> "psycopg.AsyncConnection[Any]":
    """A connection that notices within a minute or two that the machine at its other end is gone."""
    settings: dict[str, Any] = {"prepare_threshold": 0, "connect_timeout": CONNECT_SECONDS, **KEEPALIVE}
    connection = await psycopg.AsyncConnection.connect(address, autocommit=True, row_factory=dict_row, **settings)
    for key, value in KEEPALIVE.items():
        await connection.execute("SELECT set_config(%s, %s, false)", (f"tcp_{key}", str(value)))
    await connection.set_autocommit(autocommit)
    return connection


def executing(connection: "psycopg.AsyncConnection[Any]") -> Execute:
    """Runs statements with `?` for each value on a connection."""

    async def execute(statement: str, *values: object) -> Rows:
        cursor = await connection.execute(statement.replace("?", "%s").encode(), values)
        return [tuple(row.values()) for row in await cursor.fetchall()] if cursor.description else []

    return execute


async def in_transaction(address: str, work: Callable[[Execute], Awaitable[bool]]) -> bool:
    """Do it on a connection of its own, all of it or nothing; again where this process was frozen half-way."""
    async for attempt in AsyncRetrying(retry=retry_if_exception_type(FROZEN), stop=stop_after_attempt(3), reraise=True):
        with attempt:
            async with await connected(address, autocommit=False) as own:
                await own.execute("SELECT set_config('idle_in_transaction_session_timeout', %s, true)", (IDLE,))
                done = await work(executing(own))
    return done


async def set_up(connection: "psycopg.AsyncConnection[Any]", saver: AsyncPostgresSaver) -> None:
    """Make the tables that are missing. Where none is, nothing is written: whoever only reads may not."""
    if await are_made(connection, saver):
        return
    retrying = AsyncRetrying(
        retry=retry_if_exception_type(COLLISIONS),
        stop=stop_after_attempt(8),
        wait=wait_random_exponential(multiplier=0.05, max=2),
        reraise=True,
    )
    async for attempt in retrying:
        with attempt:
            await saver.setup()
            for table in (TABLE, *EXPERIMENTS, *SEATS, *ENDPOINTS):
                await connection.execute(table.encode())
            for statement in TELLING:
                await connection.execute(statement.encode())


async def are_made(connection: "psycopg.AsyncConnection[Any]", saver: AsyncPostgresSaver) -> bool:
    """Whether every table is there, in the form the installed saver writes."""
    if not await found(connection, TABLES):
        return False
    return bool(await found(connection, NEWEST) >= len(saver.MIGRATIONS) - 1)


async def found(connection: "psycopg.AsyncConnection[Any]", question: str, *values: object) -> Any:
    """The value of a query that has one."""
    row = await (await connection.execute(question.encode(), values)).fetchone()
    return row["found"] if row else None


@contextmanager
def losing(shown: str) -> Iterator[None]:
    """A server that cannot be reached or goes away stops the run, resumable; nothing is ever half-written."""
    try:
        yield
    except psycopg.Error as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise Stopped(f"db = {shown}: {said}; what was saved before is whole") from error


@dataclass(frozen=True)
class Locks:
    """An advisory lock for each run, held on the connection. The server frees it if the connection ends.

    `mine`: runs held here, which the server would give this connection once more.
    """

    connection: "psycopg.AsyncConnection[Any]"
    runs: Runs
    mine: set[str] = field(default_factory=set)

    @asynccontextmanager
    async def hold(self, run: str) -> AsyncIterator[None]:
        """Hold the run's lock; raises `Stopped` saying who holds it if that is somebody else."""
        if run in self.mine:
            raise held(run, await self.runs.holder(run))
        self.mine.add(run)
        try:
            async with self._locked(run):
                yield
        finally:
            self.mine.discard(run)

    @asynccontextmanager
    async def _locked(self, run: str) -> AsyncIterator[None]:
        if not await found(self.connection, f"SELECT pg_try_advisory_lock({KEY}) AS found", run):
            raise held(run, await self.runs.holder(run))
        await self.runs.hold(run, me())
        try:
            yield
        finally:
            if not self.connection.closed:
                await self.runs.hold(run, None)
                await found(self.connection, f"SELECT pg_advisory_unlock({KEY}) AS found", run)

    async def is_held(self, run: str) -> bool:
        """Whether a process holds the run's lock."""
        return bool(await found(self.connection, HELD, run))
