"""Storage of saved runs: one SQLite file, or a PostgreSQL database."""

import asyncio
import math
import os
import re
import sqlite3
from array import array
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from contextvars import ContextVar
from functools import lru_cache
from operator import mul
from pathlib import Path

import aiosqlite
import platformdirs
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from ..state import InputError
from .file_lock import hold_file


def compute_cosine_distance(first: bytes, second: bytes) -> float | None:
    """Compute 1 − cosine, in [0, 2], or `None` if a vector has length 0.

    Raises `ValueError` if the vectors differ in dimensions.
    """
    first_vector, second_vector = _unpack_floats(first), _unpack_floats(second)
    if len(first_vector) != len(second_vector):
        raise ValueError(f"vectors of {len(first_vector)} and {len(second_vector)} numbers cannot be compared")
    lengths = _compute_length(first) * _compute_length(second)
    return 1 - sum(map(mul, first_vector, second_vector)) / lengths if lengths else None


@lru_cache(maxsize=4)
def _unpack_floats(blob: bytes) -> "array[float]":
    floats = array("f")
    floats.frombytes(blob)
    return floats


@lru_cache(maxsize=4)
def _compute_length(blob: bytes) -> float:
    floats = _unpack_floats(blob)
    return math.sqrt(sum(map(mul, floats, floats)))


BUSY_SECONDS = 30.0
"""Longest wait in seconds for another process that is writing."""
PAGE_SIZE = 1024
"""Bytes of a page of a new file. A superstep changes a few rows in many tables, and each change writes a page."""


_default_database: ContextVar[str] = ContextVar("open_database", default="")


def set_default_database(database: str) -> None:
    """Set the default database for all code in this context (see `contextvars`).

    `database`: path of a SQLite file, or PostgreSQL address.
    """
    _default_database.set(database)


def get_default_database() -> str:
    """Return the default database: this context's, `MOOT_DB`, or `moot.db` in the user's data folder."""
    return (
        _default_database.get()
        or os.environ.get("MOOT_DB")
        or str(Path(platformdirs.user_data_dir("moot", appauthor=False)) / "moot.db")
    )


IN_MEMORY = "\0"
"""Address of an in-memory database: a text that is never a valid path."""

_KEYWORD_ADDRESS = re.compile(r"\s*(host|hostaddr|port|user|password|dbname|service|sslmode)\s*=")
"""Pattern of an address in PostgreSQL's keyword form. Moot rejects it, because it may contain a password."""


def is_postgres(database: str) -> bool:
    """Return whether a database is a PostgreSQL address rather than a file path.

    Raises `InputError` for any other kind of address.
    """
    scheme, colon, _ = database.partition("://")
    if _KEYWORD_ADDRESS.match(database):
        raise InputError(
            "db", "…", "write a PostgreSQL address as postgresql://user@host:5432/name, and a file's path as ./…"
        )
    if colon and scheme not in ("postgresql", "postgres"):
        raise InputError("db", f"{scheme}://…", "give the path of an SQLite file, or postgresql://…")
    if database.startswith(("file:", ":memory:")):  # SQLite's special names, which are no paths
        raise InputError("db", database, "give the path of an SQLite file; write ./ before such a name")
    if database.startswith("~") and os.path.expanduser(database) == database:
        raise InputError("db", database, "there is no such home folder; write the path out")
    if "\0" in database and database != IN_MEMORY:
        raise InputError("db", database, "a path cannot contain the character \\0; give the path of an SQLite file")
    return bool(colon)


def make_contention_retry() -> AsyncRetrying:
    """Make a retry policy with up to 8 attempts, for two processes that create the same tables at once."""
    return AsyncRetrying(
        retry=retry_if_exception_type((sqlite3.OperationalError, sqlite3.IntegrityError)),
        stop=stop_after_attempt(8),
        wait=wait_random_exponential(multiplier=0.05, max=2),
        reraise=True,
    )


class Connection(aiosqlite.Connection):
    """SQLite connection with vector search, even if Python's sqlite3 cannot load extensions.

    Many builds cannot (pyenv's, macOS's own). Python then provides the only function of sqlite-vec that LangGraph's
    store needs.
    """

    async def enable_load_extension(self, value: bool) -> None:
        """Allow or forbid SQLite extensions, if this Python can load them."""
        if hasattr(sqlite3.Connection, "enable_load_extension"):
            await super().enable_load_extension(value)

    async def load_extension(self, path: str) -> None:
        """Load the extension sqlite-vec, or register a Python function in its place."""
        if hasattr(sqlite3.Connection, "load_extension"):
            await super().load_extension(path)
        else:
            await self.create_function("vec_distance_cosine", 2, compute_cosine_distance, deterministic=True)


MOOT_TABLES = {
    *("moot_runs", "moot_experiments", "moot_trials", "moot_ledger", "moot_spend"),
    *("checkpoints", "writes", "store", "store_migrations", "store_vectors", "vector_migrations"),
    *("checkpoint_blobs", "checkpoint_writes", "checkpoint_migrations"),
}


def check_tables(path: str) -> None:
    """Check that a file has no tables of another application, before Moot changes it. Raises `InputError`."""
    file = Path(path).expanduser()
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except (sqlite3.Error, ValueError):  # a missing or unreadable file is reported when it is opened
        return
    if not tables & {"moot_runs"} and (
        foreign_tables := sorted(name for name in tables - MOOT_TABLES if name[:7] != "sqlite_")
    ):
        raise InputError(
            "db", path, f"the file holds tables of another application ({foreign_tables[0]}); name another file"
        )


def choose_read_address(path: str) -> str:
    """Return the path or URI that can read an existing SQLite file, even on a full or read-only disk.

    Readers of a write-ahead log create a file next to the log. If they cannot and the log is empty, return a URI that
    opens the file as immutable. If the log is not empty, raise `InputError`.
    """
    check_tables(path)
    file = Path(path).expanduser()
    immutable_uri = f"{file.absolute().as_uri()}?mode=ro&immutable=1"
    if (error := _find_read_error(str(file))) is None:
        return str(file)
    log = Path(f"{file}-wal")
    if log.exists() and log.stat().st_size:
        raise InputError(
            "db",
            path,
            f"cannot be read on a full or read-only disk ({error}); copy it and {log.name} to a disk with room",
        )
    return immutable_uri if _find_read_error(immutable_uri) is None else str(file)


def _find_read_error(address: str) -> sqlite3.Error | None:
    try:
        with closing(sqlite3.connect(address, timeout=BUSY_SECONDS, uri=address.startswith("file:"))) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        return error
    return None


@asynccontextmanager
async def connect_sqlite(path: str) -> AsyncIterator[Connection]:
    """Connect to the SQLite file at `path`, so that several processes can use it at once.

    Creates the file and its folder if necessary. Uses a write-ahead log and a busy timeout. `path` may be the URI of a
    read-only file. Raises `InputError` if the file cannot be opened, is not a database or belongs to another
    application.
    """
    is_uri, file = path.startswith("file:"), Path(path).expanduser()
    is_on_disk = not is_uri and path != IN_MEMORY
    target = file if is_on_disk else ":memory:" if path == IN_MEMORY else path
    connection = Connection(lambda: sqlite3.connect(target, timeout=BUSY_SECONDS, isolation_level=None, uri=is_uri), 64)
    async with AsyncExitStack() as stack:
        try:
            if is_on_disk:
                await asyncio.to_thread(check_tables, path)
                await asyncio.to_thread(file.parent.mkdir, parents=True, exist_ok=True)
                await stack.enter_async_context(hold_file(file))
            # Even if it opens nothing, the thread reports its end to the event loop, which must still be open then.
            stack.push_async_callback(asyncio.to_thread, connection._thread.join)
            stack.push_async_callback(connection.close)
            await connection
            async for attempt in make_contention_retry():
                with attempt:
                    await connection.execute_fetchall(f"PRAGMA page_size={PAGE_SIZE}")
                    await connection.execute_fetchall("PRAGMA journal_mode=WAL")
        except (OSError, sqlite3.Error) as error:
            raise InputError("db", path, f"cannot be opened: {error}") from error
        yield connection
