"""Open database of saved runs: checkpoints, the table of runs, and a lock for each run."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, get_args, get_type_hints

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel
from typing_extensions import is_typeddict

from ..protocols.protocol import get_protocol
from ..tools.tracing import with_tracing
from .endpoints import Endpoints
from .experiments import Experiments
from .runs import Runs
from .seat_links import Seats

OpenMode = Literal["read", "find", "make"]
"""Mode of opening a file: read-only, existing, or made if it is missing."""

RunLock = Callable[[str], AbstractAsyncContextManager[None]]
"""Function that holds the lock of a run.

Raises `RunLockedError`, with the holder, if another process holds it.
"""


ChangeWaiter = Callable[[float], Awaitable[bool]]
"""Function that waits a number of seconds at most; returns whether a save followed its last call."""


@dataclass(frozen=True)
class Store:
    """Open database.

    `address`: its path, or its address without a password. `is_held`: whether a process runs the run of this
    name. `is_encrypted`: names must not reveal their topics. `changes`: context whose function reports saves by
    all processes. `endpoints`: shared load of endpoints, or `None` for one process. `graphs`: those compiled so
    far.
    """

    address: str
    saver: BaseCheckpointSaver[Any]
    runs: Runs
    lock: RunLock
    is_held: Callable[[str], Awaitable[bool]]
    is_encrypted: bool
    experiments: Experiments
    seats: Seats
    changes: Callable[[], AbstractAsyncContextManager[ChangeWaiter]]
    endpoints: Endpoints | None = None
    graphs: dict[str, Any] = field(default_factory=dict)

    def get_graph(self, name: str) -> Any:
        """Return the protocol's graph, compiled to save here; it loads only the types of its state."""
        if name not in self.graphs:
            self.graphs[name] = with_tracing(_compile_graph(name, self.saver))
        return self.graphs[name]

    def compile_scratch_graph(self, name: str) -> Any:
        """Compile the protocol's graph to save in memory, to find the nodes that would follow."""
        return _compile_graph(name, InMemorySaver())


def _compile_graph(name: str, saver: BaseCheckpointSaver[Any]) -> Any:
    graph = get_protocol(name).build_graph()
    loadable_types = [
        *list_stored_types(),
        *list_model_types(graph.state_schema),
        *list_model_types(graph.context_schema),
    ]
    return graph.compile(checkpointer=saver.with_allowlist(loadable_types), name=name)


def list_model_types(schema: Any) -> list[tuple[str, str]]:
    """List every model of a schema, as module and name: the only loadable types of a foreign protocol."""
    pending, visited = [schema], list[Any]()
    while pending:
        if (kind := pending.pop()) in visited:
            continue
        visited.append(kind)
        pending += get_args(kind)
        pending += get_type_hints(kind).values() if is_typeddict(kind) or _is_model(kind) else []
    return [(kind.__module__, kind.__name__) for kind in visited if _is_model(kind)]


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def list_stored_types() -> list[tuple[str, str]]:
    """List every model of Moot's own state, as module and name: the types that a checkpoint may load."""
    types, pending = set(), list(BaseModel.__subclasses__())
    package = f"{__package__.removesuffix('.app.saved')}.state."
    while pending:
        model = pending.pop()
        pending += model.__subclasses__()
        if model.__module__.startswith(package):
            types.add((model.__module__, model.__name__))
    return sorted(types)
