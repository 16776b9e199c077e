"""Opening the store that papers are kept in: LangGraph's, in the database of the saved runs."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from langgraph.store.base import BaseStore

from ...state.refused import Refused
from ..database import connect_sqlite, contended, is_postgres
from ..models.embedding_spec import LEXICAL
from ..models.embeddings import Named
from ..models.failures import Stopped

if TYPE_CHECKING:
    from langgraph.store.postgres.aio import AsyncPostgresStore
    from psycopg import AsyncConnection

_DIMS = """
SELECT atttypmod AS dims FROM pg_attribute WHERE attrelid = to_regclass('store_vectors') AND attname = 'embedding'
"""
LENGTH = "length"
"""What a model is asked a vector of to learn how many numbers one has."""
CAN_COMPARE = "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"
MAY_WRITE = """
SELECT bool_and(has_table_privilege(name, how)) AND current_setting('transaction_read_only') = 'off' AS allowed
FROM unnest(ARRAY['store', 'store_vectors']) AS name, unnest(ARRAY['INSERT', 'UPDATE', 'DELETE']) AS how
"""
_SETTING_UP = "hashtextextended('moot:store', 0)"
"""The lock under which one process at a time makes the tables."""


@asynccontextmanager
async def open_store(database: str, embeddings: Named | None) -> AsyncIterator[BaseStore]:
    """The store in a SQLite file or a PostgreSQL database, tables made, with a vector index when there are embeddings.

    Raises `Refused` for a file that cannot be opened or a missing package, `Stopped` for a server that does not answer.
    """
    opened = _postgres(database, embeddings) if is_postgres(database) else _sqlite(database, embeddings)
    async with opened as store:
        yield store


async def may_write(store: BaseStore) -> bool:
    """Whether vectors can be added: a PostgreSQL role may be one that only reads."""
    asked = getattr(store, "may_write", None)
    return asked is None or bool(await asked())


@asynccontextmanager
async def _sqlite(database: str, embeddings: Named | None) -> AsyncIterator[BaseStore]:
    from langgraph.store.sqlite import AsyncSqliteStore

    async with connect_sqlite(database) as connection:
        store = AsyncSqliteStore(connection, index={"dims": 1, "embed": embeddings} if embeddings else None)
        try:
            async for attempt in contended():
                with attempt:
                    await store.setup()
            yield store
        except sqlite3.Error as error:
            raise Stopped(f"db = {database}: {error}") from error


@asynccontextmanager
async def _postgres(database: str, embeddings: Named | None) -> AsyncIterator[BaseStore]:
    try:
        import psycopg
        from langgraph.store.postgres.aio import AsyncPostgresStore
        from psycopg.rows import dict_row

        from ..address import without_password
    except ImportError:
        raise Refused("db", "postgresql://…", 'PostgreSQL needs: pip install "moot[postgres]"') from None
    shown = without_password(database)

    class ExactStore(AsyncPostgresStore):
        """Without the approximate index: it takes at most 2,000 numbers a vector and filters after it has chosen."""

        VECTOR_MIGRATIONS = AsyncPostgresStore.VECTOR_MIGRATIONS[:2]

        async def may_write(self) -> bool:
            row = await (await connection.execute(MAY_WRITE)).fetchone()
            return bool(row and row["allowed"])

    try:
        connecting = psycopg.AsyncConnection.connect(
            database, autocommit=True, prepare_threshold=0, row_factory=dict_row, connect_timeout=10
        )
        async with await connecting as connection:
            if embeddings and not await (await connection.execute(CAN_COMPARE)).fetchone():
                remedy = f"this PostgreSQL has no extension vector: install pgvector there, or use `{LEXICAL}`"
                raise Refused("embeddings", embeddings.name, remedy)
            dims = await _dims(connection, embeddings) if embeddings else 0
            store = ExactStore(connection, index={"dims": dims, "embed": embeddings} if embeddings else None)
            if not await _is_made(connection, store):
                await connection.execute(f"SELECT pg_advisory_lock({_SETTING_UP})")
                await store.setup()
                await connection.execute(f"SELECT pg_advisory_unlock({_SETTING_UP})")
            yield store
    except psycopg.DataError as error:
        name = embeddings.name if embeddings else ""
        raise Refused("embeddings", name, f"does not fit this database: {error}") from error
    except psycopg.Error as error:
        raise Stopped(f"db = {shown}: {' '.join(str(error).split())}") from error


async def _dims(connection: "AsyncConnection[dict[str, int]]", embeddings: Named) -> int:
    """Numbers in a vector: those of the database, whose column holds vectors of one length only, else the model's."""
    row = await (await connection.execute(_DIMS)).fetchone()
    return row["dims"] if row else len(await embeddings.aembed_query(LENGTH))


async def _is_made(connection: "AsyncConnection[Any]", store: "AsyncPostgresStore") -> bool:
    """Whether every table is there in its newest form, so that whoever may only read need make none."""
    wanted = {"store_migrations": len(store.MIGRATIONS)}
    wanted |= {"vector_migrations": len(store.VECTOR_MIGRATIONS)} if store.index_config else {}
    for table, versions in wanted.items():
        there = await connection.execute("SELECT to_regclass(%s)::text AS name", (table,))
        if [row["name"] async for row in there] != [table]:
            return False
        newest = await connection.execute(f"SELECT max(v) AS newest FROM {table}".encode())
        if [row["newest"] async for row in newest] != [versions - 1]:
            return False
    return True
