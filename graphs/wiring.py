"""How a step is put into a drawing."""

from collections.abc import Callable
from typing import Any

from langgraph.graph import StateGraph

from ..nodes.step import Step


def place(graph: StateGraph[Any, Any, Any, Any], name: str, node: Callable[[Any], Any]) -> None:
    """Add `node` under `name`; it receives the group of channels it is annotated with, and nothing else."""
    step = Step(node)
    graph.add_node(name, step, input_schema=step.reads)
