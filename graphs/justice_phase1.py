"""Phase 1 of the justice experiment: one participant, alone and for pay, ranks, studies and applies the principles.

Where a comprehension test is asked for, it comes first, a question a step.
"""

from typing import Any

from langgraph.graph import END, START, StateGraph

from ..nodes.justice.phase1 import (
    apply,
    before_phase_1,
    comprehension,
    more_applications,
    more_questions,
    rank,
    study,
)
from ..state.justice import JusticeRules
from ..state.justice.channels import Lone
from .wiring import Drawing, place


def build() -> StateGraph[Lone, JusticeRules, Lone, Lone]:
    """The phase's drawing, not yet compiled."""
    graph: StateGraph[Any, Any, Any, Any] = Drawing(Lone, JusticeRules)
    place(graph, "comprehension", comprehension)
    place(graph, "initial_ranking", rank("initial_ranking"))
    place(graph, "explanation", study)
    place(graph, "post_explanation_ranking", rank("post_explanation_ranking"))
    place(graph, "application", apply)
    place(graph, "final_ranking", rank("final_ranking"))

    graph.add_conditional_edges(START, before_phase_1, {"test": "comprehension", "no test": "initial_ranking"})
    graph.add_conditional_edges(
        "comprehension", more_questions, {"next question": "comprehension", "all asked": "initial_ranking"}
    )
    graph.add_edge("initial_ranking", "explanation")
    graph.add_edge("explanation", "post_explanation_ranking")
    graph.add_edge("post_explanation_ranking", "application")
    graph.add_conditional_edges(
        "application",
        more_applications,
        {"next application": "application", "all applied": "final_ranking"},
    )
    graph.add_edge("final_ranking", END)
    return graph


graph = build().compile(name="justice_phase1")
