"""Saved runs in a PostgreSQL database."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
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
from tenacity import (
    AsyncRetrying,
    retry,
    retry_if_exception_type,
    stop_after_attempt,
    stop_after_delay,
    wait_fixed,
    wait_random_exponential,
)

from ...storage import (
    CIPHER_NAME,
    JOURNAL_TABLE,
    LOOKUP_MARK,
    NS_SEP,
    CheckpointReader,
    Cipher,
    SpendJournal,
    Statement,
    hide_password,
    make_serializer,
    report_damage,
)
from .database_errors import DatabaseLostError, get_process_identity, make_lock_error, stop_on_error
from .endpoints import ENDPOINT_TABLES, EndpointSlots
from .experiments import EXPERIMENT_TABLES, ExperimentTables
from .runs import RUN_TABLE, Execute, Rows, RunTable
from .seat_links import SEAT_TABLES, SeatTable
from .store import ChangeWaiter, Store

CONNECT_SECONDS = 10
KEEPALIVE = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
"""Keepalive settings of client and server, in seconds. They free the locks of a machine that is lost."""
IDLE_TIMEOUT = "5s"
"""Longest idle time of a transaction, so that a frozen process does not delay the others by its locks."""
LOCK_KEY = "hashtextextended('moot:' || %s, 0)"
"""Number of a run's advisory lock."""

LOCK_EXISTS = (
    "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted "
    f"AND (classid::bigint << 32) | objid::bigint = {LOCK_KEY}) AS found"
)
"""Query for a held lock. `pg_locks` lists a 64-bit lock number in two halves."""

NOTIFY_CHANNEL = "moot_saved"
"""Channel on which the server reports a save. Its function and its triggers have the same name."""
NOTIFY_STATEMENTS = (
    f"CREATE OR REPLACE FUNCTION {NOTIFY_CHANNEL}() RETURNS trigger LANGUAGE plpgsql AS "
    f"$$ BEGIN PERFORM pg_notify('{NOTIFY_CHANNEL}', ''); RETURN NULL; END $$",
    *(
        statement
        for table in ("checkpoints", "checkpoint_writes")
        for statement in (
            f"DROP TRIGGER IF EXISTS {NOTIFY_CHANNEL} ON {table}",
            f"CREATE TRIGGER {NOTIFY_CHANNEL} AFTER INSERT OR UPDATE ON {table} EXECUTE FUNCTION {NOTIFY_CHANNEL}()",
        )
    ),
)

CONNECTION_ERRORS = (psycopg.OperationalError, psycopg.InterfaceError)
RECONNECT_SECONDS, RECONNECT_INTERVAL = 120.0, 1.0
"""Longest wait for a server that dropped its connections, and time between two attempts, both in seconds."""

COLLISION_ERRORS = (
    *(errors.UniqueViolation, errors.DuplicateTable, errors.DuplicateObject, errors.DeadlockDetected),
    errors.InternalError_,
)
"""Errors of two processes that create the same tables."""

TABLES_EXIST = (
    "SELECT "
    + " AND ".join(
        f"to_regclass('{table}') IS NOT NULL"
        for table in (
            "moot_runs",
            "moot_spend",
            "moot_trials",
            "moot_ledger",
            "moot_seats",
            "moot_tokens",
            "checkpoint_migrations",
        )
    )
    + f" AND (SELECT count(*) FROM pg_trigger WHERE tgname = '{NOTIFY_CHANNEL}') > 1 AS found"
)


SAVE_CHECKPOINT = f"""
WITH saved AS (
    {AsyncPostgresSaver.UPSERT_CHECKPOINTS_SQL.rstrip().removesuffix(";")}
    RETURNING thread_id, checkpoint_ns
), inner_graphs AS (
    SELECT DISTINCT thread_id, checkpoints.checkpoint_ns FROM checkpoints JOIN saved USING (thread_id)
    WHERE checkpoints.checkpoint_ns > saved.checkpoint_ns
    AND (saved.checkpoint_ns = '' OR starts_with(checkpoints.checkpoint_ns, saved.checkpoint_ns || '{NS_SEP}'))
    AND strpos(checkpoints.checkpoint_ns, ':') > 0 AND checkpoints.metadata ? '{LOOKUP_MARK}'
), inner_writes AS (
    DELETE FROM checkpoint_writes WHERE (thread_id, checkpoint_ns) IN (SELECT * FROM inner_graphs)
), inner_blobs AS (
    DELETE FROM checkpoint_blobs WHERE (thread_id, checkpoint_ns) IN (SELECT * FROM inner_graphs)
)
DELETE FROM checkpoints WHERE (thread_id, checkpoint_ns) IN (SELECT * FROM inner_graphs)
"""
"""Statement that saves a checkpoint. It deletes the checkpoints of look-ups and agents inside the same step."""


class PostgresRunSaver(CheckpointReader, AsyncPostgresSaver):
    """LangGraph's PostgreSQL saver, whose new checkpoint ids are later than those read.

    LangGraph stores short values as plain text in the checkpoint. This class encrypts them if there is a cipher.
    `journal`: journal of paid requests, which a task's writes record.
    """

    UPSERT_CHECKPOINTS_SQL = SAVE_CHECKPOINT
    journal: SpendJournal | None = None
    _waiting_statements: list[Statement]
    _save_task: "asyncio.Task[None] | None" = None

    async def commit_sql(self, statements: Sequence[Statement]) -> None:
        """Run SQL statements in one transaction, together with those already queued for the connection."""
        if self._save_task is None:
            self._waiting_statements = []
            self._save_task = asyncio.create_task(self._save_waiting(self._waiting_statements))
        self._waiting_statements += statements
        task = self._save_task
        await asyncio.wait([task])
        task.result()

    async def _save_waiting(self, statements: list[Statement]) -> None:
        try:
            async with self._cursor(pipeline=True) as cursor, cursor.connection.transaction():
                self._save_task = None  # what comes now waits for the next transaction
                for statement, values in statements:
                    await cursor.execute(statement.replace("?", "%s").encode(), values)
        finally:
            if self._save_task is asyncio.current_task():
                self._save_task = None

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save the writes of a node, and record its paid requests with them."""
        await super().aput_writes(config, writes, task_id, task_path)
        if self.journal:
            self.journal.record_task(task_id)

    async def aput(
        self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata, versions: ChannelVersions
    ) -> RunnableConfig:
        if cipher := self._cipher:
            values = {
                key: _convert_text(value, cipher.encrypt_text) for key, value in checkpoint["channel_values"].items()
            }
            checkpoint = {**checkpoint, "channel_values": values}
        return await super().aput(config, checkpoint, metadata, versions)

    async def _load_checkpoint_tuple(self, value: DictRow) -> CheckpointTuple:
        if cipher := self._cipher:

            def decrypt_text(text: str) -> str:
                return cipher.decrypt_text(text) if text.startswith(f"{CIPHER_NAME}:") else text

            values = {
                key: _convert_text(item, decrypt_text)
                for key, item in (value["checkpoint"].get("channel_values") or {}).items()
            }
            value = {**value, "checkpoint": {**value["checkpoint"], "channel_values": values}}
        return await super()._load_checkpoint_tuple(value)

    @property
    def _cipher(self) -> Cipher | None:
        return getattr(self.serde, "cipher", None)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return the writes to delta channels since the last checkpoint that stored their full values."""
        with report_damage(config):
            return await super().aget_delta_channel_history(config=config, channels=channels)


def _convert_text(value: Any, convert: Callable[[str], str]) -> Any:
    return convert(value) if isinstance(value, str) else value


@asynccontextmanager
async def open_postgres(address: str, cipher: Cipher | None) -> AsyncIterator[Store]:
    """Open the database with two connections, one for checkpoints and one for rows and locks.

    Missing tables are created.
    """
    label = hide_password(address)

    with stop_on_error(label, psycopg.Error):
        async with (
            await connect_postgres(address) as checkpoint_connection,
            await connect_postgres(address) as row_connection,
        ):
            saver = PostgresRunSaver(checkpoint_connection, serde=make_serializer(cipher))
            await create_tables(checkpoint_connection, saver)
            execute = make_executor(row_connection)
            journal = saver.journal = SpendJournal(execute, saver.commit_sql, cipher, "checkpoint_writes")
            runs = RunTable(execute, cipher, "checkpoint_writes")
            locks = AdvisoryLocks(row_connection, runs)

            @asynccontextmanager
            async def watch_changes() -> AsyncIterator[ChangeWaiter]:
                """Yield a function that waits for changes, by the server's notifications on a separate connection."""
                async with await connect_postgres(address) as notification_connection:
                    await notification_connection.execute(f"LISTEN {NOTIFY_CHANNEL}".encode())

                    async def wait_for_change(seconds: float) -> bool:
                        return bool([_ async for _ in notification_connection.notifies(timeout=seconds, stop_after=1)])

                    yield wait_for_change

            store = Store(
                address=label,
                saver=saver,
                runs=runs,
                journal=journal,
                lock=locks.hold_lock,
                is_held=locks.is_locked,
                is_encrypted=cipher is not None,
                experiments=ExperimentTables(execute, partial(run_in_transaction, address), cipher),
                seats=SeatTable(execute, cipher),
                changes=watch_changes,
                endpoints=EndpointSlots(execute),
                connection_errors=CONNECTION_ERRORS,
            )
            with stop_on_error(label, CONNECTION_ERRORS, DatabaseLostError):
                yield store
                await journal.save_settlements()


async def wait_for_server(address: str) -> None:
    """Wait until the server takes connections. Raises `RunStoppedError` after `RECONNECT_SECONDS`."""
    attempts = AsyncRetrying(
        retry=retry_if_exception_type(psycopg.OperationalError),
        stop=stop_after_delay(RECONNECT_SECONDS),
        wait=wait_fixed(RECONNECT_INTERVAL),
        reraise=True,
    )
    with stop_on_error(hide_password(address), psycopg.Error):
        await (await attempts(connect_postgres, address)).close()


async def connect_postgres(address: str, *, autocommit: bool = True) -> "psycopg.AsyncConnection[Any]":
    """Open a connection to the server at `address`, which detects a lost server within two minutes."""
    options: dict[str, Any] = {"prepare_threshold": 0, "connect_timeout": CONNECT_SECONDS, **KEEPALIVE}
    connection = await psycopg.AsyncConnection.connect(address, autocommit=True, row_factory=dict_row, **options)
    for key, value in KEEPALIVE.items():
        await connection.execute("SELECT set_config(%s, %s, false)", (f"tcp_{key}", str(value)))
    await connection.set_autocommit(autocommit)
    return connection


def make_executor(connection: "psycopg.AsyncConnection[Any]") -> Execute:
    """Make the function that runs SQL statements on a connection, with `?` for each value."""

    async def execute(statement: str, *values: object) -> Rows:
        cursor = await connection.execute(statement.replace("?", "%s").encode(), values)
        return [tuple(row.values()) for row in await cursor.fetchall()] if cursor.description else []

    return execute


@retry(
    retry=retry_if_exception_type((psycopg.OperationalError, errors.IdleInTransactionSessionTimeout)),
    stop=stop_after_attempt(3),
    reraise=True,
)
async def run_in_transaction(address: str, work: Callable[[Execute], Awaitable[Any]]) -> Any:
    """Run `work` in one transaction on a separate connection, and return its result.

    If the server ended the transaction because the process was suspended, repeat it.
    """
    async with await connect_postgres(address, autocommit=False) as connection:
        await connection.execute("SELECT set_config('idle_in_transaction_session_timeout', %s, true)", (IDLE_TIMEOUT,))
        return await work(make_executor(connection))


@retry(
    retry=retry_if_exception_type(COLLISION_ERRORS),
    stop=stop_after_attempt(8),
    wait=wait_random_exponential(multiplier=0.05, max=2),
    reraise=True,
)
async def create_tables(connection: "psycopg.AsyncConnection[Any]", saver: AsyncPostgresSaver) -> None:
    """Create the tables that are missing. Write nothing if all exist, because the role may be read-only."""
    query = "SELECT coalesce(max(v), -1) AS found FROM checkpoint_migrations"
    if await fetch_value(connection, TABLES_EXIST) and (
        await fetch_value(connection, query) >= len(saver.MIGRATIONS) - 1
    ):
        return
    await saver.setup()
    tables = (*EXPERIMENT_TABLES, *SEAT_TABLES, *ENDPOINT_TABLES)
    for statement in (RUN_TABLE, JOURNAL_TABLE, *tables, *NOTIFY_STATEMENTS):
        await connection.execute(statement.encode())


async def fetch_value(connection: "psycopg.AsyncConnection[Any]", query: str, *values: object) -> Any:
    """Return the value that a query finds, or `None` without a row."""
    row = await (await connection.execute(query.encode(), values)).fetchone()
    return row["found"] if row else None


@dataclass(frozen=True)
class AdvisoryLocks:
    """Advisory locks of runs on one connection. The server frees them when the connection ends.

    `held_runs`: runs that this connection has locked. PostgreSQL alone would let the connection lock a run twice.
    """

    connection: "psycopg.AsyncConnection[Any]"
    runs: RunTable
    held_runs: set[str] = field(default_factory=set)

    @asynccontextmanager
    async def hold_lock(self, run: str) -> AsyncIterator[None]:
        """Hold the lock of a run within the `async with` block.

        Raises `RunLockedError`, which names the holder, if another process holds the lock.
        """
        if run in self.held_runs:
            raise make_lock_error(run, await self.runs.load_holder(run))
        self.held_runs.add(run)
        try:
            if not await fetch_value(self.connection, f"SELECT pg_try_advisory_lock({LOCK_KEY}) AS found", run):
                raise make_lock_error(run, await self.runs.load_holder(run))
            await self.runs.save_holder(run, get_process_identity())
            try:
                yield
            finally:
                if not self.connection.closed:
                    await self.runs.save_holder(run, None)
                    await fetch_value(self.connection, f"SELECT pg_advisory_unlock({LOCK_KEY}) AS found", run)
        finally:
            self.held_runs.discard(run)

    async def is_locked(self, run: str) -> bool:
        """Return whether any process holds the lock of a run."""
        return bool(await fetch_value(self.connection, LOCK_EXISTS, run))
