"""Saved runs in one SQLite file."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from ...models.failures import RunStoppedError
from ...state.errors import InputError
from ...storage.checkpoint_saver import SqliteRunSaver
from ...storage.database import BUSY_SECONDS, choose_read_address, connect_sqlite
from ...storage.encryption import Cipher, make_serializer
from ...storage.file_lock import DatabaseFile, hold_file
from ...storage.transaction import WorkConnection
from .experiments import EXPERIMENT_TABLES as EXPERIMENTS
from .experiments import Experiments
from .names import check_run_name
from .run_lock import describe_process, make_lock_error
from .runs import RUN_TABLE, Execute, Rows, Runs
from .seat_links import SEAT_TABLES as SEATS
from .seat_links import Seats
from .store import ChangeWaiter, OpenMode, Store

FILE_GONE = "the file was deleted or renamed while it was in use; put it back, and resume the run"

POLL_SECONDS = 0.1
"""Seconds between two checks for a save."""


@asynccontextmanager
async def open_sqlite(path: str, cipher: Cipher | None, mode: OpenMode) -> AsyncIterator[Store]:
    """Open or make the file."""
    file_path = Path(path).expanduser()
    if mode != "make" and not file_path.exists():
        raise InputError("db", path, "there is no such database; nothing has been saved there yet")
    with convert_errors(path):
        address = await asyncio.to_thread(choose_read_address, path) if mode == "read" else path
        uri = address.startswith("file:")
        connection = WorkConnection(
            lambda: sqlite3.connect(address if uri else file_path, timeout=BUSY_SECONDS, uri=uri), 64
        )
        async with connect_sqlite(address) as rows, connection, hold_file(file_path) as file:

            def check_file() -> None:
                """Stop the run if the path no longer leads to the open file."""
                if not file.is_file_at(file_path):
                    raise RunStoppedError(f"db = {path}: {FILE_GONE}")

            async def execute(statement: str, *values: object) -> Rows:
                result: Rows = [tuple(row) for row in await rows.execute_fetchall(statement, values)]
                await asyncio.to_thread(check_file)
                return result

            async def run_in_transaction(work: Callable[[Execute], Awaitable[bool]]) -> bool:
                """Run work on a connection of its own, completely or not at all."""
                async with connect_sqlite(address) as own_connection:

                    async def execute_within(statement: str, *values: object) -> Rows:
                        return [tuple(row) for row in await own_connection.execute_fetchall(statement, values)]

                    await own_connection.execute("BEGIN IMMEDIATE")
                    is_done = await work(execute_within)
                    await own_connection.execute("COMMIT")
                    return is_done

            async def read_version() -> object:
                """Return a version: other connections' writes change its first part, this connection's the second."""
                return next(iter(await rows.execute_fetchall("PRAGMA data_version")))[0], rows.total_changes

            @asynccontextmanager
            async def watch_changes() -> AsyncIterator[ChangeWaiter]:
                """Poll the file's version, since a file sends no notification."""
                version = await read_version()

                async def wait_for_change(seconds: float) -> bool:
                    nonlocal version
                    before, until = version, monotonic() + seconds
                    while (version := await read_version()) == before and monotonic() < until:
                        await asyncio.sleep(POLL_SECONDS)
                    return version != before

                yield wait_for_change

            for table in (RUN_TABLE, *EXPERIMENTS, *SEATS) if mode != "read" else (RUN_TABLE,):
                await execute(table)
            saver = SqliteRunSaver(connection, serde=make_serializer(cipher), check=check_file)
            runs = Runs(execute, cipher, "writes")
            locks = Locks(file, runs)
            experiments = Experiments(execute, run_in_transaction, cipher)
            private, seats = cipher is not None, Seats(execute, cipher)
            try:
                yield Store(
                    path, saver, runs, locks.hold_lock, locks.is_locked, private, experiments, seats, watch_changes
                )
            finally:
                await saver.flush_writes()


@contextmanager
def convert_errors(path: str) -> Iterator[None]:
    """Stop the run, resumable, if the database fails; no data is ever half-written."""
    try:
        yield
    except sqlite3.Error as error:
        raise RunStoppedError(f"db = {path}: {error}; what was saved before is whole") from error


@dataclass(frozen=True)
class Locks:
    """Lock for each run, on the database file itself; the system frees it when the process dies."""

    file: DatabaseFile
    runs: Runs

    @asynccontextmanager
    async def hold_lock(self, run: str) -> AsyncIterator[None]:
        """Hold the run's lock. Raises `RunLockedError`, with the holder, if another process holds it."""
        if not self.file.lock_name(check_run_name(run)):
            raise make_lock_error(run, await self.runs.load_holder(run))
        try:
            await self.runs.save_holder(run, describe_process())
            yield
            await self.runs.save_holder(run, None)
        finally:
            self.file.unlock_name(run)

    async def is_locked(self, run: str) -> bool:
        """Return whether a process holds the run's lock."""
        return self.file.is_locked(run)
