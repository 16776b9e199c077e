"""Open the database of saved runs, in a file or on a server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from ...nodes.cipher import cipher_from_environment
from ...nodes.database import default_database, is_postgres, work_in
from ...state.refused import Refused
from .sqlite import open_sqlite
from .store import Store


@asynccontextmanager
async def opened(where: str | Path = "", *, create: bool = True, reading: bool = False) -> AsyncIterator[Store]:
    """Open a database by path or address; none given: MOOT_DB, else the one in the user's data folder.

    `reading`: only that, and so it need not be on a disk that can be written. Raises `Refused` if it cannot be opened,
    or is not there and is not to be made; `Stopped` if it is lost on the way.
    """
    where = str(where) if where else default_database()
    work_in(where)
    cipher = cipher_from_environment()
    if is_postgres(where):
        try:
            from .postgres import open_postgres as opening
        except ImportError:
            remedy = 'PostgreSQL needs the package psycopg: pip install "moot[postgres]"'
            raise Refused("db", "postgresql://…", remedy) from None
        async with opening(where, cipher) as store:
            yield store
    else:
        async with open_sqlite(where, cipher, "read" if reading else "make" if create else "find") as store:
            yield store
