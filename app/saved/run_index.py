"""Table of saved runs without their states, for lists.

States need LangGraph, which is slow to load.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from ...state import InputError
from ...storage import choose_read_address, connect_sqlite, get_default_database, hold_file, is_postgres, load_cipher
from .runs import RUN_TABLE, Rows, RunIndex, RunTable


@asynccontextmanager
async def open_run_index(address: str = "") -> AsyncIterator[RunIndex]:
    """Open the table of runs for reading.

    `address`: path or address of the database; empty for the default database. Raises `InputError` if the database is
    missing or cannot be opened, and `RunStoppedError` if it cannot be read.
    """
    address = address or get_default_database()
    if is_postgres(address):
        from .database import open_database

        async with open_database(address) as store:
            yield store
        return
    path, cipher = Path(address).expanduser(), load_cipher()
    if not path.exists():
        raise InputError("db", address, "there is no such database; nothing has been saved there yet")
    try:
        async with (
            connect_sqlite(await asyncio.to_thread(choose_read_address, address)) as connection,
            hold_file(path) as file,
        ):

            async def execute(statement: str, *values: object) -> Rows:
                return [tuple(row) for row in await connection.execute_fetchall(statement, values)]

            async def is_held(run: str) -> bool:
                return file.is_locked(run)

            await execute(RUN_TABLE)
            yield RunIndex(RunTable(execute, cipher, "writes"), is_held)
    except sqlite3.Error as error:
        from .database_errors import make_database_error

        raise make_database_error(address, error) from error
