"""Access to the database of saved runs, in a file or on a server."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from ...state import InputError
from ...storage import get_default_database, is_postgres, load_cipher, set_default_database
from .database_errors import DatabaseLostError
from .sqlite import open_sqlite
from .store import Store


@asynccontextmanager
async def open_database(
    address: str | Path = "", *, create: bool = True, read_only: bool = False
) -> AsyncIterator[Store]:
    """Open a database by path or address; default: MOOT_DB, or the database in the user's data folder.

    `read_only`: whether the disk may be read-only. Raises `InputError` if the database cannot be opened, or if it is
    missing and `create` is false. Raises `RunStoppedError` if the connection is lost.
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
    """Do work that opens a database. If the connection drops, wait for the server, and do it again.

    Raises `RunStoppedError` if the server stays away for two minutes.
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
