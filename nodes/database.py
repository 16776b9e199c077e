"""Where Moot keeps what it saves: one SQLite file, or a PostgreSQL database."""

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

from ..state.refused import Refused
from .held_file import holding


def cosine_distance(left: bytes, right: bytes) -> float | None:
    """1 − cosine, in [0, 2]; none when either has no length. Raises `ValueError` when they differ in dimensions."""
    one, other = _floats(left), _floats(right)
    if len(one) != len(other):
        raise ValueError(f"vectors of {len(one)} and {len(other)} numbers cannot be compared")
    lengths = _length(left) * _length(right)
    return 1 - sum(map(mul, one, other)) / lengths if lengths else None


@lru_cache(maxsize=4)
def _floats(blob: bytes) -> "array[float]":
    floats = array("f")
    floats.frombytes(blob)
    return floats


@lru_cache(maxsize=4)
def _length(blob: bytes) -> float:
    floats = _floats(blob)
    return math.sqrt(sum(map(mul, floats, floats)))


BUSY_SECONDS = 30.0
"""Longest wait for another process that is writing."""


_open: ContextVar[str] = ContextVar("open_database", default="")


def work_in(database: str) -> None:
    """Make `database` the default one of everything that runs in this context."""
    _open.set(database)


def default_database() -> str:
    """The database this context works in, `MOOT_DB` if it is set, else `moot.db` in the user's data folder."""
    return (
        _open.get()
        or os.environ.get("MOOT_DB")
        or str(Path(platformdirs.user_data_dir("moot", appauthor=False)) / "moot.db")
    )


IN_MEMORY = "\0"
"""The place of a database that is kept nowhere: what nobody can write as a path."""

_KEYWORDS = re.compile(r"\s*(host|hostaddr|port|user|password|dbname|service|sslmode)\s*=")
"""How PostgreSQL's other form of an address begins, of which no file is made: it may hold a password."""


def is_postgres(database: str) -> bool:
    """Whether a database is named by a PostgreSQL address rather than a file path; refuses any other address."""
    scheme, colon, _ = database.partition("://")
    if _KEYWORDS.match(database):
        raise Refused(
            "db", "…", "write it as an address: postgresql://user@host:5432/name; a file of such a name as ./…"
        )
    if colon and scheme not in ("postgresql", "postgres"):
        raise Refused("db", f"{scheme}://…", "give the path of an SQLite file, or postgresql://…")
    if database.startswith(("file:", ":memory:")):  # SQLite's own words for what no path is: not held, or not kept
        raise Refused("db", database, "give the path of an SQLite file; one of such a name as ./…")
    if database.startswith("~") and os.path.expanduser(database) == database:
        raise Refused("db", database, "there is no such home folder; write the path out")
    if "\0" in database and database != IN_MEMORY:
        raise Refused("db", database, "no path has such a character; give the path of an SQLite file")
    return bool(colon)


def contended() -> AsyncRetrying:
    """Tries, up to eight times, what two processes that make the same tables may collide in."""
    collisions = (sqlite3.OperationalError, sqlite3.IntegrityError)
    return AsyncRetrying(
        retry=retry_if_exception_type(collisions),
        stop=stop_after_attempt(8),
        wait=wait_random_exponential(multiplier=0.05, max=2),
        reraise=True,
    )


class Connection(aiosqlite.Connection):
    """A connection on which the store's vector search works whether or not this Python's sqlite3 loads extensions.

    Many builds do not (pyenv's, macOS's own). Of sqlite-vec the store uses one function, which then Python provides.
    """

    async def enable_load_extension(self, value: bool) -> None:
        """Allow or forbid extensions, where they can be loaded at all."""
        if hasattr(sqlite3.Connection, "enable_load_extension"):
            await super().enable_load_extension(value)

    async def load_extension(self, path: str) -> None:
        """Load sqlite-vec, or put Python's function in its place."""
        if hasattr(sqlite3.Connection, "load_extension"):
            await super().load_extension(path)
        else:
            await self.create_function("vec_distance_cosine", 2, cosine_distance, deterministic=True)


OWN = {
    *("moot_runs", "moot_experiments", "moot_trials"),
    *("checkpoints", "writes", "store", "store_migrations", "store_vectors", "vector_migrations"),
    *("checkpoint_blobs", "checkpoint_writes", "checkpoint_migrations"),
}
"""The tables of a database that is Moot's."""


def refuse_foreign(path: str) -> None:
    """Refuse a file that holds the tables of another application, before anything in it is changed."""
    place = Path(path).expanduser()
    try:
        with closing(sqlite3.connect(f"{place.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except (sqlite3.Error, ValueError):  # what is not there, or cannot be read, is told of when it is opened
        return
    if not tables & {"moot_runs"} and (others := sorted(name for name in tables - OWN if name[:7] != "sqlite_")):
        raise Refused("db", path, f"another application keeps its tables there ({others[0]}); name a file of its own")


def readable(path: str) -> str:
    """What to connect to in order to read a file that is there, be its disk full or read-only.

    Readers of a write-ahead log need a file beside it, and make it. Where that is impossible, a file whose log holds
    nothing can be read as one that does not change. Raises `Refused` where it holds something.
    """
    refuse_foreign(path)
    place = Path(path).expanduser()
    unchanging = f"{place.absolute().as_uri()}?mode=ro&immutable=1"
    if (fault := _hindrance(str(place))) is None:
        return str(place)
    log = Path(f"{place}-wal")
    if log.exists() and log.stat().st_size:
        remedy = f"cannot be read where nothing can be written ({fault}); copy it, with {log.name}, to a disk with room"
        raise Refused("db", path, remedy)
    return unchanging if _hindrance(unchanging) is None else str(place)


def _hindrance(address: str) -> sqlite3.Error | None:
    """Why the database at a path or URI cannot be read; none: it can."""
    try:
        with closing(sqlite3.connect(address, timeout=BUSY_SECONDS, uri=address.startswith("file:"))) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        return error
    return None


@asynccontextmanager
async def connect_sqlite(path: str) -> AsyncIterator[Connection]:
    """A connection to the file, made with its folder if need be, that several processes can use at once.

    Write-ahead log, a busy timeout, and 16 kB pages in a new file, which the growing records of a run fill best.
    `path` may be the URI of a file to be read only. Raises `Refused` when the file cannot be opened or is no database.
    """
    uri, place = path.startswith("file:"), Path(path).expanduser()
    on_disk = not uri and path != IN_MEMORY
    where = place if on_disk else ":memory:" if path == IN_MEMORY else path
    connection = Connection(lambda: sqlite3.connect(where, timeout=BUSY_SECONDS, isolation_level=None, uri=uri), 64)
    async with AsyncExitStack() as until_closed:
        try:
            if on_disk:
                await asyncio.to_thread(refuse_foreign, path)
                await asyncio.to_thread(place.parent.mkdir, parents=True, exist_ok=True)
                await until_closed.enter_async_context(holding(place))
            await connection
            await _prepare(connection)
        except (OSError, sqlite3.Error) as error:
            await connection.close()
            raise Refused("db", path, f"cannot be opened: {error}") from error
        try:
            yield connection
        finally:
            await connection.close()


async def _prepare(connection: Connection) -> None:
    async for attempt in contended():
        with attempt:
            await connection.execute_fetchall("PRAGMA journal_mode=WAL")
