"""Protocol that fills a caller's form (a pydantic model) with the result after the deliberation."""

from typing import Any

from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel

from ..nodes.fill_form import FilledFormState, FormFillingState, fill_form
from ..nodes.node_runnables import NodeRunnable
from ..prompts import Templates
from ..state.errors import InputError


class FormState(FormFillingState, FilledFormState):
    """Channels that the node for a caller's form reads and writes."""


def add_form(graph: StateGraph[Any, Any, Any, Any], form: type[BaseModel], templates: Templates, calls: int) -> None:
    """Connect each last node of a protocol to a new node that fills the form.

    `calls`: number of calls to reserve for the form. Raises `InputError` if no edge leads to the end.
    """
    last_nodes = [source for source, target in graph.edges if target == END]
    if not last_nodes:
        raise InputError(
            "response_format", form.__name__, "this protocol ends with a choice, not a text; leave response_format out"
        )
    add_form_node(graph, form, templates, calls)
    for node in last_nodes:
        graph.edges.discard((node, END))
        graph.add_edge(node, "fill_form")


def add_form_node(
    graph: StateGraph[Any, Any, Any, Any], form: type[BaseModel], templates: Templates, calls: int
) -> None:
    """Add the node `fill_form` as the last one of the graph.

    `calls`: number of calls for filling the form.
    """
    graph.add_node("fill_form", NodeRunnable(fill_form(form, templates, calls)), input_schema=FormState)
    graph.add_edge("fill_form", END)


def build_form_graph(form: type[BaseModel], templates: Templates, calls: int) -> Any:
    """Build a graph that fills the form from the final state of a deliberation."""
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(FormState)
    add_form_node(graph, form, templates, calls)
    graph.add_edge(START, "fill_form")
    return graph.compile(name="fill_form")
