"""Phase 1 of the justice experiment: a single participant ranks, studies and applies the principles.

The applications are paid. If the settings enable the comprehension test, it comes first, with one question per step.
"""

from typing import Any

from langgraph.graph import END, START, StateGraph

from ..nodes.justice.phase1 import (
    apply,
    ask_comprehension,
    rank,
    route_after_application,
    route_after_question,
    route_to_first_stage,
    study,
)
from ..state.justice import JusticeSettings, Phase1State
from .protocol_graph import ProtocolGraph, add_node


def build() -> StateGraph[Phase1State, JusticeSettings, Phase1State, Phase1State]:
    """Build the uncompiled graph of Phase 1, which one participant runs alone."""
    graph: StateGraph[Any, Any, Any, Any] = ProtocolGraph(Phase1State, JusticeSettings)
    add_node(graph, "comprehension", ask_comprehension)
    add_node(graph, "initial_ranking", rank("initial_ranking"))
    add_node(graph, "explanation", study)
    add_node(graph, "post_explanation_ranking", rank("post_explanation_ranking"))
    add_node(graph, "application", apply)
    add_node(graph, "final_ranking", rank("final_ranking"))

    graph.add_conditional_edges(START, route_to_first_stage, {"test": "comprehension", "no test": "initial_ranking"})
    graph.add_conditional_edges(
        "comprehension", route_after_question, {"next question": "comprehension", "all asked": "initial_ranking"}
    )
    graph.add_edge("initial_ranking", "explanation")
    graph.add_edge("explanation", "post_explanation_ranking")
    graph.add_edge("post_explanation_ranking", "application")
    graph.add_conditional_edges(
        "application",
        route_after_application,
        {"next application": "application", "all applied": "final_ranking"},
    )
    graph.add_edge("final_ranking", END)
    return graph


graph = build().compile(name="justice_phase1")
