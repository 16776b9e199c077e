"""Graph of a protocol. It checks its nodes and routes, and runs its branches in parallel."""

from collections.abc import Callable, Hashable
from typing import Any, Generic, Self

from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import TypeVar

from ..nodes.decide import record_ending
from ..nodes.node_runnables import NodeRunnable, RouteRunnable
from ..nodes.validating_pregel import ValidatingPregel
from ..state import ENDING_PHASE, EndingKinds, check_requirements
from ..storage import list_stored_types, load_only_types
from .lookups import graph as lookup_graph

MAX_CONCURRENCY = 100
"""Number of branches that run at the same time, unless the caller's config sets another."""

SettingsT = TypeVar("SettingsT", bound=Any, default=Any)
InputT = TypeVar("InputT", bound=Any, default=Any)
"""Type of the input of a protocol's runs. Their context has the type of the settings."""


class CompiledProtocol(ValidatingPregel, CompiledStateGraph[Any, Any, Any, Any]):
    """Compiled protocol that rejects an unusable input or context before a node runs.

    It loads only its own types from checkpoints.
    """

    def _apply_checkpointer_allowlist(self, checkpointer: Any) -> Any:
        return load_only_types(checkpointer, self._serde_allowlist or ())


class ProtocolGraph(StateGraph[Any, SettingsT, InputT, Any], Generic[SettingsT, InputT]):
    """State graph whose branches run in parallel under `invoke` as well as under `ainvoke`.

    By default, LangGraph limits synchronous branches to the number of cores plus four. On four cores, the ninth
    participant of a vote would have to wait. `config={"max_concurrency": n}` sets another limit for a run.
    """

    def add_conditional_edges(self, source: str, path: Any, path_map: Any = None) -> Self:
        """Add a route, which receives the channels that its parameters name.

        Raises `InputError` if the graph lacks one of these channels.
        """
        route = path if isinstance(path, RouteRunnable) else RouteRunnable(path)
        check_requirements(route.requirements, self.state_schema, self.context_schema)
        return super().add_conditional_edges(source, route, path_map)

    def compile(self, *args: Any, **kwargs: Any) -> CompiledStateGraph[Any, SettingsT, InputT, Any]:
        """Compile the graph as LangGraph does. It then runs branches in parallel and checks its input."""
        compiled = super().compile(*args, **kwargs)
        compiled.__class__ = CompiledProtocol  # a new object would lose the types that it may load from checkpoints
        compiled._serde_allowlist = list_stored_types(compiled, [*self.schemas, self.context_schema])
        for name, node in self.nodes.items():
            if isinstance(node.runnable, NodeRunnable) and node.runnable.lookup_graph:
                compiled.nodes[name].subgraphs = [lookup_graph]  # so that get_state and Studio show the look-ups
        compiled.config = {**(compiled.config or {}), "max_concurrency": MAX_CONCURRENCY}
        return compiled


def add_node(
    graph: StateGraph[Any, Any, Any, Any], name: str, node: Callable[..., Any] | NodeRunnable, phase: str = ""
) -> None:
    """Add `node` under `name`. The node receives only the channels that its parameters name.

    `phase` groups nodes in pictures; the default is the name of the node. Raises `InputError`, which names the node, if
    the graph lacks one of the channels or settings.
    """
    runnable = node if isinstance(node, NodeRunnable) else NodeRunnable(node)
    check_requirements(runnable.requirements, graph.state_schema, graph.context_schema)
    if runnable.can_look_up:
        runnable.lookup_graph = lookup_graph
    graph.add_node(name, runnable, input_schema=runnable.group, metadata={"phase": phase or name})


def add_questions(graph: StateGraph[Any, Any, Any, Any], **nodes: Callable[..., Any]) -> dict[Hashable, str]:
    """Add the nodes of the questions that `decide` asks. Return a route to each, by its name.

    Each node leads back to `decide`.
    """
    for name, node in nodes.items():
        add_node(graph, name, node, "questions")
        graph.add_edge(name, "decide")
    return {name: name for name in nodes}


def add_endings(graph: StateGraph[Any, Any, Any, Any], kinds: EndingKinds, next_node: str) -> dict[Hashable, str]:
    """Add a node for each kind of ending. Return a route to each, by its kind.

    Each node records the ending and leads to `next_node`.
    """
    for kind in kinds:
        add_node(graph, kind, record_ending, ENDING_PHASE)
        graph.add_edge(kind, next_node)
    return {kind: kind for kind in kinds}
