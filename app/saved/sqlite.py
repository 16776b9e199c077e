"""Saved runs in one SQLite file."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from ...nodes.cipher import Cipher, serializer
from ...nodes.database import BUSY_SECONDS, connect_sqlite, readable
from ...nodes.held_file import HeldFile, holding
from ...nodes.models.failures import Stopped
from ...state.refused import Refused
from .experiments import TABLES as EXPERIMENTS
from .experiments import Experiments
from .lock_holder import held, me
from .names import checked
from .runs import TABLE, Execute, Rows, Runs
from .saver import Saver
from .seats import TABLES as SEATS
from .seats import Seats
from .store import Changed, How, Store
from .transaction import Connection

GONE = "the file was deleted or renamed while it was in use; put it back, and resume the run"

LOOK = 0.1
"""Seconds between two looks whether anything was saved."""


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
        async with connect_sqlite(where) as rows, line, holding(place) as file:

            def check() -> None:
                """Stop where the file is no longer the one that is written to."""
                if not file.is_at(place):
                    raise Stopped(f"db = {path}: {GONE}")

            async def execute(statement: str, *values: object) -> Rows:
                found: Rows = [tuple(row) for row in await rows.execute_fetchall(statement, values)]
                await asyncio.to_thread(check)
                return found

            async def in_transaction(work: Callable[[Execute], Awaitable[bool]]) -> bool:
                """Do it on a connection of its own, all of it or nothing."""
                async with connect_sqlite(where) as own:

                    async def within(statement: str, *values: object) -> Rows:
                        return [tuple(row) for row in await own.execute_fetchall(statement, values)]

                    await own.execute("BEGIN IMMEDIATE")
                    done = await work(within)
                    await own.execute("COMMIT")
                    return done

            async def version() -> object:
                """What all connections but this one have written changes the first, what this one has the second."""
                return next(iter(await rows.execute_fetchall("PRAGMA data_version")))[0], rows.total_changes

            @asynccontextmanager
            async def changes() -> AsyncIterator[Changed]:
                """Look at the file's version; a file tells nobody that it was written to."""
                seen = await version()

                async def changed(seconds: float) -> bool:
                    nonlocal seen
                    before, until = seen, monotonic() + seconds
                    while (seen := await version()) == before and monotonic() < until:
                        await asyncio.sleep(LOOK)
                    return seen != before

                yield changed

            for table in (TABLE, *EXPERIMENTS, *SEATS) if how != "read" else (TABLE,):
                await execute(table)
            saver = Saver(line, serde=serializer(cipher), check=check)
            runs = Runs(execute, cipher, "writes")
            locks = Locks(file, runs)
            experiments = Experiments(execute, in_transaction, cipher)
            private, seats = cipher is not None, Seats(execute, cipher)
            try:
                yield Store(path, saver, runs, locks.hold, locks.is_held, private, experiments, seats, changes)
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
    """A lock for each run, on the database file itself. The system frees it if the process dies."""

    file: HeldFile
    runs: Runs

    @asynccontextmanager
    async def hold(self, run: str) -> AsyncIterator[None]:
        """Hold the run's lock; raises `Stopped` saying who holds it if that is somebody else."""
        if not self.file.take(checked(run)):
            raise held(run, await self.runs.holder(run))
        try:
            await self.runs.hold(run, me())
            yield
            await self.runs.hold(run, None)
        finally:
            self.file.free(run)

    async def is_held(self, run: str) -> bool:
        """Whether a process holds the run's lock."""
        return self.file.is_taken(run)
