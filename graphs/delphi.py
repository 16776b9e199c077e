"""Delphi: experts estimate blind, see the group's figures and the outliers' reasons, and may revise.

Estimates and reasons stay anonymous. The Delphi ends when the estimates are close together or stable.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from langgraph.graph import END, START

from ..nodes.convene import convene
from ..nodes.decide import decide, route_by_decision
from ..nodes.delphi import estimate as estimate_node
from ..nodes.delphi.estimate import estimate
from ..nodes.delphi.feed_back import feed_back
from ..nodes.delphi.report_estimates import report_estimates
from ..nodes.delphi.seats import seat_delphi_experts
from ..nodes.fill_floor import fill_floor, order_by_seat
from ..nodes.routes import route_to_floor
from ..prompts import Templates, load_templates
from ..state import CAPS, DeliberationInput, DeliberationState, EndingKinds, JudgeState, stop_if_all_absent
from ..state.delphi import (
    DelphiResult,
    DelphiSettings,
    EstimatesState,
    stop_if_round_unaffordable,
    stop_on_convergence,
    stop_on_expert_agreement,
    stop_on_short_round,
    stop_on_stable_estimates,
)
from ..state.positions.channels import PositionRecordState
from ..state.stopping.rules import (
    StoppingRule,
    make_budget_denial_rule,
    stop_at_budget,
    stop_at_round_cap,
    stop_on_first,
)
from .protocol_graph import ProtocolGraph, add_endings, add_node

if TYPE_CHECKING:
    from ..state.contexts import arguments

TEMPLATES = load_templates("delphi", system="topic words language", estimate=estimate_node.ESTIMATE_FIELDS)
CLOSE_RULE = stop_on_first(stop_on_expert_agreement, stop_on_convergence, stop_on_stable_estimates)
STOPPING_RULE = stop_on_first(
    stop_if_all_absent,
    CLOSE_RULE,
    make_budget_denial_rule("estimate"),
    stop_on_short_round,
    stop_at_round_cap,
    stop_at_budget,
    stop_if_round_unaffordable,
)


ENDINGS: EndingKinds = {
    "convergence": ("estimates_converged", "experts_agreed"),
    "stability": ("estimates_stable",),
    "cap": CAPS,
    "halt": (),
}
"""Kinds of endings. `halt`: too few experts are available, or a custom rule stops the Delphi."""


class DelphiGraphState(DeliberationState, JudgeState, PositionRecordState, EstimatesState):
    """Channels of the Delphi graph."""


def build(
    *, stopping_rule: StoppingRule = STOPPING_RULE, templates: Templates = TEMPLATES
) -> "ProtocolGraph[arguments.DelphiContext | DelphiSettings, arguments.DelphiInput]":
    """Build the uncompiled graph. To add a checkpointer, use `build().compile(checkpointer=...)`.

    You can pass your own `stopping_rule` (checked after each round) and `templates`. Raises `InputError` if the rule
    reads a channel or setting that this graph lacks.
    """
    graph: ProtocolGraph[Any, Any] = ProtocolGraph(
        DelphiGraphState, DelphiSettings, input_schema=DeliberationInput, output_schema=DelphiResult
    )
    add_node(graph, "convene", convene(DelphiSettings, seat_delphi_experts, templates))
    add_node(graph, "order", fill_floor(order_by_seat))
    add_node(graph, "estimate", estimate(templates))
    add_node(graph, "feed_back", feed_back)
    add_node(graph, "decide", decide(stopping_rule, ENDINGS))
    endings = add_endings(graph, ENDINGS, "conclude")
    add_node(graph, "conclude", report_estimates)

    next_round: dict[Hashable, str] = {"next round": "order"}
    graph.add_edge(START, "convene")
    graph.add_edge("convene", "order")
    graph.add_conditional_edges("order", route_to_floor("estimate"), ["estimate"])
    graph.add_edge("estimate", "feed_back")
    graph.add_edge("feed_back", "decide")
    graph.add_conditional_edges("decide", route_by_decision, {**next_round, **endings})
    graph.add_edge("conclude", END)
    return graph


graph = build().compile(name="delphi")
