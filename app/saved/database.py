"""Access to the database of saved runs, a SQLite file or a PostgreSQL server."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Literal

from ...state import InputError
from ...storage import (
    BUSY_SECONDS,
    JOURNAL_TABLE,
    Cipher,
    DatabaseFile,
    SpendJournal,
    SqliteRunSaver,
    WorkConnection,
    choose_read_address,
    connect_sqlite,
    get_default_database,
    hold_file,
    is_postgres,
    load_cipher,
    make_serializer,
    set_default_database,
)
from .database_errors import (
    DatabaseLostError,
    DatabaseRefusedError,
    get_process_identity,
    make_lock_error,
    stop_on_error,
)
from .experiments import EXPERIMENT_TABLES, ExperimentTables
from .runs import RUN_TABLE, Execute, Rows, RunTable, check_run_name
from .seat_links import SEAT_TABLES, SeatTable
from .store import ChangeWaiter, Store


@asynccontextmanager
async def open_database(
    address: str | Path = "", *, create: bool = True, read_only: bool = False
) -> AsyncIterator[Store]:
    """Open a database, which becomes the default database within this context.

    `address`: path or address; empty for MOOT_DB or, without it, the database in the user's data folder. `read_only`:
    whether the disk may be read-only. Raises `InputError` if the database cannot be opened, or if it is missing and
    `create` is false. Raises `RunStoppedError` if the connection is lost.
    """
    address = str(address) if address else get_default_database()
    set_default_database(address)
    cipher = load_cipher()
    if is_postgres(address):
        try:
            from .postgres import open_postgres
        except ImportError:
            raise InputError(
                "db", "postgresql://…", 'PostgreSQL needs the package psycopg: pip install "moot[postgres]"'
            ) from None
        async with open_postgres(address, cipher) as store:
            yield store
    else:
        async with open_sqlite(address, cipher, "read" if read_only else "make" if create else "find") as store:
            yield store


async def keep_connected(address: str, work: Callable[[], Awaitable[None]], show_line: Callable[[str], None]) -> None:
    """Run `work`, which opens a database. If the connection drops, wait for the server and run it again.

    `show_line`: function that shows what Moot waits for. Raises `RunStoppedError` if the server stays away for two
    minutes.
    """
    for name in ("psycopg", "procrastinate"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # the one line says what they would repeat
    while True:
        try:
            return await work()
        except DatabaseLostError as error:
            from .postgres import wait_for_server  # only its connections drop

            show_line(f"{error}; reconnecting for up to 2 minutes")
            await wait_for_server(address)


@asynccontextmanager
async def open_sqlite(path: str, cipher: Cipher | None, mode: Literal["read", "find", "make"]) -> AsyncIterator[Store]:
    """Open the SQLite file at `path`. Only the mode `make` creates a missing file; `read` opens read-only.

    Raises `InputError` if the file is missing in another mode.
    """
    file_path = Path(path).expanduser()
    if mode != "make" and not file_path.exists():
        raise InputError("db", path, "there is no such database, since nothing was saved there yet")
    with stop_on_error(path, sqlite3.Error):
        address = await asyncio.to_thread(choose_read_address, path) if mode == "read" else path
        is_uri = address.startswith("file:")
        checkpoint_connection = WorkConnection(
            lambda: sqlite3.connect(address if is_uri else file_path, timeout=BUSY_SECONDS, uri=is_uri), 64
        )
        async with connect_sqlite(address) as row_connection, checkpoint_connection, hold_file(file_path) as file:

            def check_file() -> None:
                """Check that the path still leads to the open file. Raises `DatabaseRefusedError` otherwise."""
                if not file.is_file_at(file_path):
                    fault = "the file was deleted or renamed while it was in use; put it back, and resume the run"
                    raise DatabaseRefusedError(f"db = {path}: {fault}")

            async def execute(statement: str, *values: object) -> Rows:
                result_rows: Rows = [tuple(row) for row in await row_connection.execute_fetchall(statement, values)]
                await asyncio.to_thread(check_file)
                return result_rows

            async def run_in_transaction(work: Callable[[Execute], Awaitable[Any]]) -> Any:
                async with connect_sqlite(address) as work_connection:

                    async def execute_within(statement: str, *values: object) -> Rows:
                        return [tuple(row) for row in await work_connection.execute_fetchall(statement, values)]

                    await work_connection.execute("BEGIN IMMEDIATE")
                    result = await work(execute_within)
                    await work_connection.execute("COMMIT")
                    return result

            async def read_version() -> object:
                """Return a version number of the data, which changes with every write on any connection."""
                ((version,),) = await row_connection.execute_fetchall("PRAGMA data_version")
                return version, row_connection.total_changes

            @asynccontextmanager
            async def watch_changes() -> AsyncIterator[ChangeWaiter]:
                """Yield a function that waits for changes, by polling the version, because a file sends no notice."""
                version = await read_version()

                async def wait_for_change(seconds: float) -> bool:
                    nonlocal version
                    last_version, deadline = version, monotonic() + seconds
                    while (version := await read_version()) == last_version and monotonic() < deadline:
                        await asyncio.sleep(0.1)
                    return version != last_version

                yield wait_for_change

            own_tables = JOURNAL_TABLE, *EXPERIMENT_TABLES, *SEAT_TABLES
            for table in (RUN_TABLE, *(own_tables if mode != "read" else ())):
                await execute(table)
            saver = SqliteRunSaver(checkpoint_connection, serde=make_serializer(cipher), check=check_file)
            journal = saver.journal = SpendJournal(execute, saver.commit_sql, cipher, "writes")
            runs = RunTable(execute, cipher, "writes")
            locks = FileLocks(file, runs)
            try:
                yield Store(
                    address=path,
                    saver=saver,
                    runs=runs,
                    journal=journal,
                    lock=locks.hold_lock,
                    is_held=locks.is_locked,
                    is_encrypted=cipher is not None,
                    experiments=ExperimentTables(execute, run_in_transaction, cipher),
                    seats=SeatTable(execute, cipher),
                    changes=watch_changes,
                )
                await saver.flush_writes()
                await journal.save_settlements()
            finally:
                await saver.flush_writes()


@dataclass(frozen=True)
class FileLocks:
    """Locks of runs on the database file. The system frees them when the process dies."""

    file: DatabaseFile
    runs: RunTable

    @asynccontextmanager
    async def hold_lock(self, run: str) -> AsyncIterator[None]:
        """Hold the lock of a run within the `async with` block.

        Raises `RunLockedError`, which names the holder, if another process holds the lock.
        """
        if not self.file.lock_name(check_run_name(run)):
            raise make_lock_error(run, await self.runs.load_holder(run))
        try:
            await self.runs.save_holder(run, get_process_identity())
            yield
            await self.runs.save_holder(run, None)
        finally:
            self.file.unlock_name(run)

    async def is_locked(self, run: str) -> bool:
        """Return whether any process holds the lock of a run."""
        return self.file.is_locked(run)
