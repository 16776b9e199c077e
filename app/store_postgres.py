"""Saved runs in a PostgreSQL database."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import dict_row
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from ..nodes.faults import Stopped
from ..state.refusal import Refused
from .cipher import Cipher, serializer
from .holder import held, me
from .runs import TABLE, Rows, Runs
from .store import Store

CONNECT_SECONDS = 10
KEY = "hashtextextended('moot:' || %s, 0)"
"""The number of a run's advisory lock."""

HELD = (
    "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted "
    f"AND (classid::bigint << 32) | objid::bigint = {KEY}) AS found"
)
"""Whether anybody holds it: a lock with a number of 64 bits is listed in two halves."""

COLLISIONS = (errors.UniqueViolation, errors.DuplicateTable, errors.DuplicateObject, errors.DeadlockDetected)
"""What two processes that create the same tables may meet."""


@asynccontextmanager
async def open_postgres(address: str, cipher: Cipher | None) -> AsyncIterator[Store]:
    """Connect, and make the tables if they are missing."""
    shown = without_password(address)
    with losing(shown):
        connecting = psycopg.AsyncConnection.connect(
            address, autocommit=True, prepare_threshold=0, row_factory=dict_row, connect_timeout=CONNECT_SECONDS
        )
        async with await connecting as connection:

            async def execute(statement: str, *values: object) -> Rows:
                cursor = await connection.execute(statement.replace("?", "%s").encode(), values)
                return [tuple(row.values()) for row in await cursor.fetchall()] if cursor.description else []

            saver = AsyncPostgresSaver(connection, serde=serializer(cipher))
            await set_up(connection, saver)
            runs = Runs(execute, cipher)
            locks = Locks(connection, runs)
            yield Store(shown, saver, runs, locks.hold, locks.is_held, cipher is not None)


async def set_up(connection: "psycopg.AsyncConnection[Any]", saver: AsyncPostgresSaver) -> None:
    """Make the tables that are missing."""
    retrying = AsyncRetrying(
        retry=retry_if_exception_type(COLLISIONS),
        stop=stop_after_attempt(8),
        wait=wait_random_exponential(multiplier=0.05, max=2),
        reraise=True,
    )
    async for attempt in retrying:
        with attempt:
            await saver.setup()
            await connection.execute(TABLE)


def without_password(address: str) -> str:
    """The address as it may be shown; raises `Refused` if it is none."""
    try:
        parts = conninfo_to_dict(address)
    except psycopg.ProgrammingError:
        parts = {"port": "none"}
    port = str(parts.get("port") or "")
    if port and not port.isdecimal():
        remedy = (
            "write postgresql://user@host:5432/name, special characters as %40; the password may stand in PGPASSWORD"
        )
        raise Refused("db", "postgresql://…", remedy)
    if "password" not in parts:
        return address
    place = f"{parts.get('host', '')}{port and ':'}{port}"
    return f"postgresql://{parts.get('user', '')}@{place}/{parts.get('dbname', '')}"


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
    """An advisory lock for each run, held on the connection. The server frees it if the connection ends."""

    connection: "psycopg.AsyncConnection[Any]"
    runs: Runs

    @asynccontextmanager
    async def hold(self, run: str) -> AsyncIterator[None]:
        """Hold the run's lock; raises `Stopped` saying who holds it if that is somebody else."""
        if not await self._found(f"SELECT pg_try_advisory_lock({KEY}) AS found", run):
            raise held(run, await self.runs.holder(run))
        await self.runs.hold(run, me())
        yield
        await self.runs.hold(run, None)
        await self._found(f"SELECT pg_advisory_unlock({KEY}) AS found", run)

    async def is_held(self, run: str) -> bool:
        """Whether a process holds the run's lock."""
        return await self._found(HELD, run)

    async def _found(self, statement: str, run: str) -> bool:
        cursor = await self.connection.execute(statement.encode(), (run,))
        row = await cursor.fetchone()
        return bool(row and row["found"])
