"""The database of saved runs, opened: checkpoints, the table of runs, and a lock for each run."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

from ...nodes.database import default_database, is_postgres, work_in
from ...state.refused import Refused
from ..protocols import protocol
from .cipher import cipher_from_environment
from .runs import Runs

How = Literal["read", "find", "make"]
"""Whether a file is only read, has to be there, or is made if it is not."""

Lock = Callable[[str], AbstractAsyncContextManager[None]]
"""Holds the lock of the run of this name; raises `Stopped` saying who holds it if that is somebody else."""


@dataclass(frozen=True)
class Store:
    """An open database.

    `where`: its path, or its address without a password. `is_held`: whether a process is running the run of this name.
    `private`: whether it is encrypted, so that names must not tell what they stand for.
    """

    where: str
    saver: BaseCheckpointSaver[Any]
    runs: Runs
    lock: Lock
    is_held: Callable[[str], Awaitable[bool]]
    private: bool

    def graph(self, name: str) -> Any:
        """The protocol's graph, compiled to save here; only the types its state is made of are ever loaded."""
        return _compiled(name, self.saver)

    def scratch(self, name: str) -> Any:
        """The protocol's graph, compiled to save in memory, to see what would follow."""
        return _compiled(name, InMemorySaver())


def _compiled(name: str, saver: BaseCheckpointSaver[Any]) -> Any:
    return protocol(name).build().compile(checkpointer=saver.with_allowlist(stored_types()), name=name)


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
        from .sqlite import open_sqlite

        async with open_sqlite(where, cipher, "read" if reading else "make" if create else "find") as store:
            yield store


def stored_types() -> list[tuple[str, str]]:
    """Every model of the state, as module and name: what may be loaded from a checkpoint."""
    found, left = set(), list(BaseModel.__subclasses__())
    package = f"{__package__.removesuffix('.app.saved')}.state."
    while left:
        model = left.pop()
        left += model.__subclasses__()
        if model.__module__.startswith(package):
            found.add((model.__module__, model.__name__))
    return sorted(found)
