"""An open database of saved runs: checkpoints, the table of runs, and a lock for each run."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, get_args, get_type_hints

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel
from typing_extensions import is_typeddict

from ..protocols import protocol
from ..tracing import traced
from .endpoints import Endpoints
from .experiments import Experiments
from .runs import Runs
from .seats import Seats

How = Literal["read", "find", "make"]
"""Whether a file is only read, has to be there, or is made if it is not."""

Lock = Callable[[str], AbstractAsyncContextManager[None]]
"""Holds the lock of the run of this name; raises `Stopped` saying who holds it if that is somebody else."""


Changed = Callable[[float], Awaitable[bool]]
"""Waits until something was saved since it was asked last, so many seconds at most; gives whether something was."""


@dataclass(frozen=True)
class Store:
    """An open database.

    `where`: its path, or its address without a password. `is_held`: whether a process is running the run of this name.
    `private`: whether it is encrypted, so that names must not tell what they stand for.
    `changes`: whoever is within learns of what is saved, by this process or another.
    `endpoints`: how hard they are used by all processes together; none: there is one process.
    `graphs`: those compiled so far.
    """

    where: str
    saver: BaseCheckpointSaver[Any]
    runs: Runs
    lock: Lock
    is_held: Callable[[str], Awaitable[bool]]
    private: bool
    experiments: Experiments
    seats: Seats
    changes: Callable[[], AbstractAsyncContextManager[Changed]]
    endpoints: Endpoints | None = None
    graphs: dict[str, Any] = field(default_factory=dict)

    def graph(self, name: str) -> Any:
        """The protocol's graph, compiled to save here; only the types its state is made of are ever loaded."""
        if name not in self.graphs:
            self.graphs[name] = traced(_compiled(name, self.saver))
        return self.graphs[name]

    def scratch(self, name: str) -> Any:
        """The protocol's graph, compiled to save in memory, to see what would follow."""
        return _compiled(name, InMemorySaver())


def _compiled(name: str, saver: BaseCheckpointSaver[Any]) -> Any:
    drawing = protocol(name).build()
    allowed = [*stored_types(), *types_of(drawing.state_schema), *types_of(drawing.context_schema)]
    return drawing.compile(checkpointer=saver.with_allowlist(allowed), name=name)


def types_of(schema: Any) -> list[tuple[str, str]]:
    """Every model that a schema names, as module and name; of a protocol from elsewhere only these are loaded."""
    left, seen = [schema], list[Any]()
    while left:
        if (kind := left.pop()) in seen:
            continue
        seen.append(kind)
        left += get_args(kind)
        left += get_type_hints(kind).values() if is_typeddict(kind) or _is_model(kind) else []
    return [(kind.__module__, kind.__name__) for kind in seen if _is_model(kind)]


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def stored_types() -> list[tuple[str, str]]:
    """Every model of Moot's own state, as module and name: what may be loaded from a checkpoint."""
    found, left = set(), list(BaseModel.__subclasses__())
    package = f"{__package__.removesuffix('.app.saved')}.state."
    while left:
        model = left.pop()
        left += model.__subclasses__()
        if model.__module__.startswith(package):
            found.add((model.__module__, model.__name__))
    return sorted(found)
