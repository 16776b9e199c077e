"""Store for papers: LangGraph's store, in the database of the saved runs."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from langgraph.store.base import BaseStore

from ..models import LEXICAL, NamedEmbeddings, RunStoppedError
from ..state import InputError
from ..storage import connect_sqlite, is_postgres, make_contention_retry

if TYPE_CHECKING:
    from langgraph.store.postgres.aio import AsyncPostgresStore
    from psycopg import AsyncConnection

_DIMENSION_QUERY = """
SELECT atttypmod AS dims FROM pg_attribute WHERE attrelid = to_regclass('store_vectors') AND attname = 'embedding'
"""
PROBE_TEXT = "length"
"""Text that is embedded to find the number of dimensions of a model's vectors."""
FIND_VECTOR_EXTENSION = "SELECT 1 FROM pg_available_extensions WHERE name = 'vector'"
READ_PRIVILEGES = """
SELECT bool_and(has_table_privilege(name, how)) AND current_setting('transaction_read_only') = 'off' AS allowed
FROM unnest(ARRAY['store', 'store_vectors']) AS name, unnest(ARRAY['INSERT', 'UPDATE', 'DELETE']) AS how
"""
_SETUP_LOCK = "hashtextextended('moot:store', 0)"
"""Key of the PostgreSQL lock that lets only one process at a time create the tables."""


@asynccontextmanager
async def open_store(database: str, embeddings: NamedEmbeddings | None) -> AsyncIterator[BaseStore]:
    """Open the store in SQLite or PostgreSQL, with its tables, and with a vector index for embeddings.

    Raises `InputError` for a file that cannot be opened or a missing package, `RunStoppedError` for an unreachable
    server.
    """
    open_backend = _open_postgres_store if is_postgres(database) else _open_sqlite_store
    async with open_backend(database, embeddings) as store:
        try:
            yield store
        finally:
            task: asyncio.Task[None] | None = getattr(store, "_task", None)
            if task:  # the store cancels it only when it is collected, perhaps after the end of the loop
                task.cancel()
                await asyncio.wait([task])


async def can_write(store: BaseStore) -> bool:
    """Return whether vectors can be added to the store. A PostgreSQL role may be read-only."""
    check_privileges = getattr(store, "may_write", None)
    return check_privileges is None or bool(await check_privileges())


@asynccontextmanager
async def _open_sqlite_store(database: str, embeddings: NamedEmbeddings | None) -> AsyncIterator[BaseStore]:
    from langgraph.store.sqlite import AsyncSqliteStore

    async with connect_sqlite(database) as connection:
        store = AsyncSqliteStore(connection, index={"dims": 1, "embed": embeddings} if embeddings else None)
        try:
            async for attempt in make_contention_retry():
                with attempt:
                    await store.setup()
            yield store
        except sqlite3.Error as error:
            raise RunStoppedError(f"db = {database}: {error}") from error


@asynccontextmanager
async def _open_postgres_store(database: str, embeddings: NamedEmbeddings | None) -> AsyncIterator[BaseStore]:
    try:
        import psycopg
        from langgraph.store.postgres.aio import AsyncPostgresStore
        from psycopg.rows import dict_row

        from ..storage.postgres_address import hide_password
    except ImportError:
        raise InputError("db", "postgresql://…", 'PostgreSQL needs: pip install "moot[postgres]"') from None
    label = hide_password(database)

    class ExactStore(AsyncPostgresStore):
        """PostgreSQL store that compares all vectors exactly.

        The approximate index would support at most 2,000 dimensions and filter too late.
        """

        VECTOR_MIGRATIONS = AsyncPostgresStore.VECTOR_MIGRATIONS[:2]

        async def may_write(self) -> bool:
            row = await (await connection.execute(READ_PRIVILEGES)).fetchone()
            return bool(row and row["allowed"])

    try:
        async with await psycopg.AsyncConnection.connect(
            database, autocommit=True, prepare_threshold=0, row_factory=dict_row, connect_timeout=10
        ) as connection:
            if embeddings and not await (await connection.execute(FIND_VECTOR_EXTENSION)).fetchone():
                raise InputError(
                    "embeddings",
                    embeddings.name,
                    f"this PostgreSQL has no extension vector: install pgvector there, or use `{LEXICAL}`",
                )
            dimensions = 0
            if embeddings:  # the length of the database column, or else that of a vector from the model
                row = await (await connection.execute(_DIMENSION_QUERY)).fetchone()
                dimensions = row["dims"] if row else len(await embeddings.aembed_query(PROBE_TEXT))
            store = ExactStore(connection, index={"dims": dimensions, "embed": embeddings} if embeddings else None)
            if not await _has_tables(connection, store):
                await connection.execute(f"SELECT pg_advisory_lock({_SETUP_LOCK})")
                await store.setup()
                await connection.execute(f"SELECT pg_advisory_unlock({_SETUP_LOCK})")
            yield store
    except psycopg.DataError as error:
        raise InputError(
            "embeddings",
            embeddings.name if embeddings else "",
            f"this model does not fit the vectors in this database: {error}",
        ) from error
    except psycopg.Error as error:
        raise RunStoppedError(f"db = {label}: {' '.join(str(error).split())}") from error


async def _has_tables(connection: "AsyncConnection[Any]", store: "AsyncPostgresStore") -> bool:
    """Return whether all tables of the store exist in their newest version.

    Only then can a read-only role use the store.
    """
    expected_versions = {"store_migrations": len(store.MIGRATIONS)}
    expected_versions |= {"vector_migrations": len(store.VECTOR_MIGRATIONS)} if store.index_config else {}
    for table, versions in expected_versions.items():
        table_rows = await connection.execute("SELECT to_regclass(%s)::text AS name", (table,))
        if [row["name"] async for row in table_rows] != [table]:
            return False
        version_rows = await connection.execute(f"SELECT max(v) AS newest FROM {table}".encode())
        if [row["newest"] async for row in version_rows] != [versions - 1]:
            return False
    return True
