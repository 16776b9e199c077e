"""Independent: participants answer one question alone, as samples, in rounds, or with all information.

A deliberation on the same question is compared with these answers.
"""

from collections.abc import Hashable
from typing import Any

from langgraph.graph import END, START

from ..nodes.convene import convene
from ..nodes.independent import answer_alone as answer_node
from ..nodes.independent.answer_alone import answer_alone
from ..nodes.independent.conclude_alone import conclude_alone, count_answers
from ..nodes.independent.routes import route_to_answers
from ..nodes.independent.write_alone import WRITE_FIELDS, write_alone
from ..nodes.seats import seat_as_listed
from ..prompts import Templates, load_templates
from ..state.deliberation import DeliberationState, JudgeState
from ..state.independent import HeardStatementsState, IndependentInput, IndependentSettings
from ..state.positions.channels import PositionRecordState, PositionsResult
from .protocol_graph import ProtocolGraph, add_node

TEMPLATES = load_templates(
    "independent",
    system="topic language",
    answer=answer_node.ANSWER_ALONE_FIELDS,
    again=answer_node.REPEAT_FIELDS,
    write=WRITE_FIELDS,
)


class IndependentGraphState(DeliberationState, JudgeState, PositionRecordState, HeardStatementsState):
    """Channels of the graph for independent answers."""


def build(*, templates: Templates = TEMPLATES) -> ProtocolGraph[IndependentSettings, IndependentInput]:
    """Build the uncompiled graph. To add a checkpointer, use `build().compile(checkpointer=...)`.

    You can pass your own `templates`.
    """
    graph: ProtocolGraph[Any, Any] = ProtocolGraph(
        IndependentGraphState, IndependentSettings, input_schema=IndependentInput, output_schema=PositionsResult
    )
    add_node(graph, "convene", convene(IndependentSettings, seat_as_listed, templates))
    add_node(graph, "answer_alone", answer_alone(templates))
    add_node(graph, "write_alone", write_alone(templates))
    add_node(graph, "count_answers", count_answers)
    add_node(graph, "conclude_alone", conclude_alone)

    answer_routes: dict[Hashable, str] = {
        "write_alone": "write_alone",
        "answer_alone": "answer_alone",
        "over": "conclude_alone",
    }
    graph.add_edge(START, "convene")
    graph.add_conditional_edges("convene", route_to_answers, answer_routes)
    graph.add_edge("write_alone", "count_answers")
    graph.add_edge("answer_alone", "count_answers")
    graph.add_conditional_edges("count_answers", route_to_answers, answer_routes)
    graph.add_edge("conclude_alone", END)
    return graph


graph = build().compile(name="independent")
