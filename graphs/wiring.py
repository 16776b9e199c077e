"""How a drawing is made: steps and roads are placed on it, and compiled it runs its branches side by side."""

from collections.abc import Callable
from typing import Any, Generic, Self

from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypeVar

from ..nodes.entrance import Entrance
from ..nodes.step import Road, Step
from ..state.requirements import check_needs

SIDE_BY_SIDE = 100
"""Branches that run at the same time unless the caller's config says otherwise."""

Knobs = TypeVar("Knobs", bound=Any, default=Any)
Given = TypeVar("Given", bound=Any, default=Any)
"""What a protocol's runs are given: as context, its knobs; as input, what it is about."""


class CompiledProtocol(Entrance, CompiledStateGraph[Any, Any, Any, Any]):
    """A compiled protocol, which refuses at its entrance what cannot be used."""


class Drawing(StateGraph[Any, Knobs, Given, Any], Generic[Knobs, Given]):
    """A state graph whose fan-outs run side by side under `invoke` as they do under `ainvoke`.

    Left alone, synchronous branches get as many threads as the machine has cores and four: the ninth participant of
    a ballot would wait for the first. `config={"max_concurrency": n}` sets another bound for a run.
    """

    def add_conditional_edges(self, source: str, path: Any, path_map: Any = None) -> Self:
        """Add a road; `path` receives the groups its parameters name. Raises `Refused` if the graph lacks one."""
        road = path if isinstance(path, Road) else Road(path)
        check_needs(road.needs, self.state_schema, self.context_schema)
        return super().add_conditional_edges(source, road, path_map)

    def compile(self, *args: Any, **kwargs: Any) -> CompiledStateGraph[Any, Knobs, Given, Any]:
        """Compile as langgraph does, with room for every branch, and refuse at the entrance what cannot be used."""
        compiled = super().compile(*args, **kwargs)
        compiled.__class__ = CompiledProtocol  # made anew it would lose what it may load from checkpoints
        compiled.config = {**(compiled.config or {}), "max_concurrency": SIDE_BY_SIDE}
        return compiled


def place(graph: StateGraph[Any, Any, Any, Any], name: str, node: Callable[..., Any] | Step) -> None:
    """Add `node` under `name`; it receives the groups its parameters name, and nothing else.

    Raises `Refused`, with who reads what, if the graph's state or rules lack one of them.
    """
    step = node if isinstance(node, Step) else Step(node)
    check_needs(step.needs, graph.state_schema, graph.context_schema)
    graph.add_node(name, step, input_schema=step.reads)
