"""Open database of saved runs: checkpoints, the table of runs, and a lock for each run."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from copy import copy
from dataclasses import dataclass, field
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from ...storage import SpendJournal, list_stored_types
from ..protocols.registry import get_protocol
from ..tools.tracing import with_tracing
from .endpoints import EndpointSlots
from .experiments import ExperimentTables
from .runs import RunIndex
from .seat_links import SeatTable

ChangeWaiter = Callable[[float], Awaitable[bool]]
"""Function that waits for a save, up to a number of seconds.

It returns whether anything was saved since its last call.
"""


@dataclass(frozen=True)
class Store(RunIndex):
    """Open database: the table of runs, the other tables, and what a run needs to be executed.

    `address`: its path, or its address without a password. `lock`: function that holds the lock of a run. It raises
    `RunLockedError`, which names the holder. `is_encrypted`: whether data is encrypted, so that names of runs must not
    contain their topics. `changes`: context manager of a function that waits until any process saves. `endpoints`: load
    shared between processes; `None` for a single process. `connection_errors`: errors of a dropped connection.
    `graphs`: compiled graphs by protocol.
    """

    address: str
    saver: BaseCheckpointSaver[Any]
    journal: SpendJournal
    lock: Callable[[str], AbstractAsyncContextManager[None]]
    is_encrypted: bool
    experiments: ExperimentTables
    seats: SeatTable
    changes: Callable[[], AbstractAsyncContextManager[ChangeWaiter]]
    endpoints: EndpointSlots | None = None
    connection_errors: tuple[type[Exception], ...] = ()
    graphs: dict[str, Any] = field(default_factory=dict)

    def get_graph(self, name: str) -> Any:
        """Return the compiled graph of the protocol `name`, which saves to this database.

        The saver loads only the types of this protocol's state.
        """
        if name not in self.graphs:
            self.graphs[name] = with_tracing(copy_graph(name, self.saver))
        return self.graphs[name]


def copy_graph(name: str, saver: BaseCheckpointSaver[Any]) -> Any:
    """Copy the compiled graph of the protocol `name`, with a saver that loads only the types of its state."""
    graph = copy(get_protocol(name).module.graph)
    schemas = [*graph.builder.schemas, graph.builder.context_schema]
    graph.checkpointer = saver.with_allowlist(list_stored_types(graph, schemas))
    return graph
