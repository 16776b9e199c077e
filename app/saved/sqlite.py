"""Saved runs in one SQLite file."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from ...nodes.database import BUSY_SECONDS, connect_sqlite, readable
from ...nodes.models.failures import Stopped
from ...state.refused import Refused
from .cipher import Cipher, serializer
from .lock_holder import held, me
from .names import checked
from .runs import TABLE, Rows, Runs
from .saver import Saver
from .store import How, Store
from .transaction import Connection

PATIENCE = 0.25
"""Seconds to wait for a lock, since `moot runs` holds it for a moment."""


@asynccontextmanager
async def open_sqlite(path: str, cipher: Cipher | None, how: How) -> AsyncIterator[Store]:
    """Open or make the file."""
    place = Path(path).expanduser()
    if how != "make" and not place.exists():
        raise Refused("db", path, "there is no such database; nothing has been saved there yet")
    with losing(path):
        where = await asyncio.to_thread(readable, path) if how == "read" else path
        uri = where.startswith("file:")
        line = Connection(lambda: sqlite3.connect(where if uri else place, timeout=BUSY_SECONDS, uri=uri), 64)
        async with connect_sqlite(where) as rows, line as checkpoints:

            async def execute(statement: str, *values: object) -> Rows:
                async with rows.execute(statement, values) as cursor:
                    return [tuple(row) for row in await cursor.fetchall()]

            await execute(TABLE)
            saver = Saver(checkpoints, serde=serializer(cipher))
            runs = Runs(execute, cipher)
            locks = Locks(Path(f"{place}.locks"), runs)
            try:
                yield Store(path, saver, runs, locks.hold, locks.is_held, cipher is not None)
            finally:
                await saver.flush()


@contextmanager
def losing(path: str) -> Iterator[None]:
    """A database that fails while it is used stops the run, resumable; nothing is ever half-written."""
    try:
        yield
    except sqlite3.Error as error:
        raise Stopped(f"db = {path}: {error}; what was saved before is whole") from error


@dataclass(frozen=True)
class Locks:
    """A lock for each run: an SQLite file of its own, locked exclusively. The system frees it if the process dies."""

    folder: Path
    runs: Runs

    @asynccontextmanager
    async def hold(self, run: str) -> AsyncIterator[None]:
        """Hold the run's lock; raises `Stopped` saying who holds it if that is somebody else."""
        self.folder.mkdir(exist_ok=True)
        with self._opened(run) as lock:
            if not _taken(lock):
                raise held(run, await self.runs.holder(run))
            await self.runs.hold(run, me())
            yield
            await self.runs.hold(run, None)
        if not await self.runs.unfinished(run):
            self._file(run).unlink(missing_ok=True)

    async def is_held(self, run: str) -> bool:
        """Whether a process holds the run's lock."""
        if not self._file(run).exists():
            return False
        with self._opened(run) as lock:
            return not _taken(lock)

    def _file(self, run: str) -> Path:
        return self.folder / f"{checked(run)}.lock"

    def _opened(self, run: str) -> closing[sqlite3.Connection]:
        return closing(sqlite3.connect(self._file(run), timeout=PATIENCE, isolation_level=None))


def _taken(lock: sqlite3.Connection) -> bool:
    try:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_READONLY:
                raise
            lock.execute("SELECT 1 FROM sqlite_master")  # that a file may only be read does not say who holds it
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True
