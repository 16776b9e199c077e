"""Council: members answer blind and rank the answers; a chairman writes the final one.

The rankings are counted by any voting rule. A tie or a cycle is reported as such.
"""

from typing import TYPE_CHECKING, Any

from langgraph.graph import END, START

from ..nodes.convene import convene
from ..nodes.council import answer as answer_node, conclude as conclusion_node, review as review_node
from ..nodes.council.answer import answer
from ..nodes.council.conclude import conclude
from ..nodes.council.count_rankings import count_rankings
from ..nodes.council.gather import gather, route_to_rankers
from ..nodes.council.review import review
from ..nodes.council.seats import seat_members
from ..nodes.decide import decide, route_by_decision
from ..nodes.fill_floor import fill_floor, order_by_seat
from ..nodes.routes import route_to_floor
from ..prompts import Templates, load_templates
from ..state import CAPS, DeliberationInput, DeliberationState, EndingKinds, JudgeState
from ..state.council import (
    CouncilResult,
    CouncilSettings,
    ReviewState,
    stop_on_rankings,
    stop_on_winner,
    stop_without_ranking,
)
from ..state.positions.channels import PositionRecordState
from ..state.stopping.rules import make_budget_denial_rule, stop_at_budget, stop_on_first
from .protocol_graph import ProtocolGraph, add_endings, add_node

if TYPE_CHECKING:
    from ..state.contexts import arguments

TEMPLATES = load_templates(
    "council",
    system="topic language",
    answer=answer_node.ANSWER_FIELDS,
    review=review_node.REVIEW_FIELDS,
    conclude=conclusion_node.CONCLUDE_FIELDS,
)
STOPPING_RULE = stop_on_first(
    stop_on_winner, make_budget_denial_rule("review"), stop_on_rankings, stop_at_budget, stop_without_ranking
)


ENDINGS: EndingKinds = {
    "winner": ("answers_ranked",),
    "tie": ("answers_undecided", "answers_cycle"),
    "cap": CAPS,
    "halt": ("answers_unranked",),
}
"""Kinds of endings. `halt`: there is no ranking to count."""


class CouncilGraphState(DeliberationState, JudgeState, PositionRecordState, ReviewState):
    """Channels of the council graph."""


def build(
    *, templates: Templates = TEMPLATES
) -> "ProtocolGraph[arguments.CouncilContext | CouncilSettings, arguments.CouncilInput]":
    """Build the uncompiled graph. To add a checkpointer, use `build().compile(checkpointer=...)`.

    You can pass your own `templates`.
    """
    graph: ProtocolGraph[Any, Any] = ProtocolGraph(
        CouncilGraphState, CouncilSettings, input_schema=DeliberationInput, output_schema=CouncilResult
    )
    add_node(graph, "convene", convene(CouncilSettings, seat_members, templates))
    add_node(graph, "order", fill_floor(order_by_seat))
    add_node(graph, "answer", answer(templates))
    add_node(graph, "gather", gather)
    add_node(graph, "review", review(templates))
    add_node(graph, "decide", decide(STOPPING_RULE, ENDINGS, measure=count_rankings, opening_rule=STOPPING_RULE))
    endings = add_endings(graph, ENDINGS, "conclude")
    add_node(graph, "conclude", conclude(templates))

    graph.add_edge(START, "convene")
    graph.add_edge("convene", "order")
    graph.add_conditional_edges("order", route_to_floor("answer"), ["answer"])
    graph.add_edge("answer", "gather")
    graph.add_conditional_edges("gather", route_to_rankers, {"review": "review", "nothing to rank": "decide"})
    graph.add_edge("review", "decide")
    graph.add_conditional_edges("decide", route_by_decision, endings)
    graph.add_edge("conclude", END)
    return graph


graph = build().compile(name="council")
