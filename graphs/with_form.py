"""Protocol with a caller's form, which the synthesizer fills with the result after the deliberation."""

from typing import Any

from langgraph.graph import END, StateGraph
from pydantic import BaseModel

from ..nodes.fill_form import FilledFormState, FillingState, fill_form
from ..nodes.step import NodeRunnable
from ..prompts import Templates
from ..state.errors import InputError


class FormState(FillingState, FilledFormState):
    """Channels of the node that fills a caller's form."""


def add_form(graph: StateGraph[Any, Any, Any, Any], form: type[BaseModel], templates: Templates, calls: int) -> None:
    """Lead every last node of a protocol to the node that fills the form.

    `calls`: reserved calls. Raises `InputError` if no edge leads to the end.
    """
    last_nodes = [source for source, target in graph.edges if target == END]
    if not last_nodes:
        raise InputError("response_format", form.__name__, "this protocol ends by a choice; use its graph without it")
    graph.add_node("fill_form", NodeRunnable(fill_form(form, templates, calls)), input_schema=FormState)
    for node in last_nodes:
        graph.edges.discard((node, END))
        graph.add_edge(node, "fill_form")
    graph.add_edge("fill_form", END)
