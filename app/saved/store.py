"""An open database of saved runs: checkpoints, the table of runs, and a lock for each run."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Literal

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

from ..protocols import protocol
from .experiments import Experiments
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
    `graphs`: those compiled so far.
    """

    where: str
    saver: BaseCheckpointSaver[Any]
    runs: Runs
    lock: Lock
    is_held: Callable[[str], Awaitable[bool]]
    private: bool
    experiments: Experiments
    graphs: dict[str, Any] = field(default_factory=dict)

    def graph(self, name: str) -> Any:
        """The protocol's graph, compiled to save here; only the types its state is made of are ever loaded."""
        if name not in self.graphs:
            self.graphs[name] = _compiled(name, self.saver)
        return self.graphs[name]

    def scratch(self, name: str) -> Any:
        """The protocol's graph, compiled to save in memory, to see what would follow."""
        return _compiled(name, InMemorySaver())


def _compiled(name: str, saver: BaseCheckpointSaver[Any]) -> Any:
    return protocol(name).build().compile(checkpointer=saver.with_allowlist(stored_types()), name=name)


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
