"""Where Moot keeps what it saves: one SQLite file, or a PostgreSQL database."""

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiosqlite
import platformdirs
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from ..state.refusal import Refused

BUSY_SECONDS = 30.0
"""Longest wait for another process that is writing."""


def default_database() -> str:
    """`MOOT_DB` if it is set, else `moot.db` in the user's data folder."""
    return os.environ.get("MOOT_DB") or str(Path(platformdirs.user_data_dir("moot", appauthor=False)) / "moot.db")


def is_postgres(database: str) -> bool:
    """Whether a database is named by a PostgreSQL address rather than a file path."""
    return database.startswith(("postgresql://", "postgres://"))


def contended() -> AsyncRetrying:
    """Tries again, up to eight times within some seconds, what two processes that create the same tables may collide in."""
    collisions = (sqlite3.OperationalError, sqlite3.IntegrityError)
    return AsyncRetrying(
        retry=retry_if_exception_type(collisions),
        stop=stop_after_attempt(8),
        wait=wait_random_exponential(multiplier=0.05, max=2),
        reraise=True,
    )


@asynccontextmanager
async def connect_sqlite(path: str) -> AsyncIterator[aiosqlite.Connection]:
    """A connection to the file, made with its folder if need be, that several processes can use at once.

    Write-ahead log, a busy timeout, and 16 kB pages in a new file, which the growing records of a run fill best.
    Raises `Refused` when the file cannot be opened or is no database.
    """
    place = Path(path).expanduser()
    try:
        await asyncio.to_thread(place.parent.mkdir, parents=True, exist_ok=True)
        async with aiosqlite.connect(place, timeout=BUSY_SECONDS, isolation_level=None) as connection:
            await connection.execute("PRAGMA page_size=16384")
            async for attempt in contended():
                with attempt:
                    await connection.execute("PRAGMA journal_mode=WAL")
            yield connection
    except (OSError, sqlite3.DatabaseError) as error:
        raise Refused("db", path, f"cannot be opened: {error}") from error
