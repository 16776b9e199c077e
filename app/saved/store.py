"""Open database of saved runs: checkpoints, the table of runs, and a lock for each run."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, get_args, get_type_hints

from langgraph.checkpoint.base import BaseCheckpointSaver
from pydantic import BaseModel
from typing_extensions import is_typeddict

from ...storage import SpendJournal
from ..protocols.protocol import get_protocol
from ..tools.tracing import with_tracing
from .endpoints import Endpoints
from .experiments import Experiments
from .runs import RunTable
from .seat_links import Seats

OpenMode = Literal["read", "find", "make"]
"""Mode of opening a file: read-only, only if it exists, or created if it is missing."""


ChangeWaiter = Callable[[float], Awaitable[bool]]
"""Function that waits for a save, up to a number of seconds.

It returns whether anything was saved since its last call.
"""


@dataclass(frozen=True)
class Store(RunTable):
    """Open database: the table of runs, and everything else.

    `address`: its path, or its address without a password. `lock`: function that holds the lock of a run; raises
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
    experiments: Experiments
    seats: Seats
    changes: Callable[[], AbstractAsyncContextManager[ChangeWaiter]]
    endpoints: Endpoints | None = None
    connection_errors: tuple[type[Exception], ...] = ()
    graphs: dict[str, Any] = field(default_factory=dict)

    def get_graph(self, name: str) -> Any:
        """Return the protocol's compiled graph, which saves to this database.

        The saver loads only the types of this protocol's state.
        """
        if name not in self.graphs:
            self.graphs[name] = with_tracing(compile_graph(name, self.saver))
        return self.graphs[name]


def compile_graph(name: str, saver: BaseCheckpointSaver[Any]) -> Any:
    """Compile the protocol's graph with `saver`, which then loads only the types of the graph's state."""
    graph = get_protocol(name).build_graph()
    loadable_types = [
        *list_stored_types(),
        *list_model_types(graph.state_schema),
        *list_model_types(graph.context_schema),
    ]
    return graph.compile(checkpointer=saver.with_allowlist(loadable_types), name=name)


def list_model_types(schema: Any) -> list[tuple[str, str]]:
    """List every pydantic model in a schema, as module and name.

    A checkpoint of a protocol from a package may load only these types.
    """
    pending_types, visited_types = [schema], list[Any]()
    while pending_types:
        if (candidate := pending_types.pop()) in visited_types:
            continue
        visited_types.append(candidate)
        pending_types += get_args(candidate)
        pending_types += (
            get_type_hints(candidate).values() if is_typeddict(candidate) or _is_pydantic(candidate) else []
        )
    return [(candidate.__module__, candidate.__name__) for candidate in visited_types if _is_pydantic(candidate)]


def _is_pydantic(candidate: Any) -> bool:
    return isinstance(candidate, type) and issubclass(candidate, BaseModel)


def list_stored_types() -> list[tuple[str, str]]:
    """List every pydantic model of Moot's state, as module and name. A checkpoint may load these types."""
    type_names, pending_models = set(), list(BaseModel.__subclasses__())
    package = f"{__package__.removesuffix('.app.saved')}.state."
    while pending_models:
        model = pending_models.pop()
        pending_models += model.__subclasses__()
        if model.__module__.startswith(package):
            type_names.add((model.__module__, model.__name__))
    return sorted(type_names)
