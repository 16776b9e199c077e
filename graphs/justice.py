"""Justice: participants apply four principles alone for pay, then the group tries to adopt one.

Afterwards, incomes and classes are drawn and paid. The experiment measures agreement and changes in the rankings.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from langgraph.graph import START

from ..nodes.decide import record_ending, route_by_decision
from ..nodes.justice.convene import convene
from ..nodes.justice.decide import decide
from ..nodes.justice.phase1_branch import Phase1Runnable
from ..nodes.justice.react_to_results import remember_rule
from ..nodes.justice.round import SpeakingOrder, draw_round_order, fill_floor, meet, remember
from ..nodes.justice.routes import route_to_each, route_to_phase1, route_to_speaker
from ..nodes.justice.speak import reason, speak
from ..nodes.justice.templates import TEMPLATES
from ..prompts import Templates
from ..state.deliberation import DeliberationState
from ..state.justice import (
    BallotBoxState,
    ExperimentState,
    JusticeInput,
    JusticeOutput,
    JusticeSettings,
    PaymentState,
    PendingMemoryState,
    Phase1ResultsState,
    ReasoningState,
    SpeakingOrderState,
    VoteProgressState,
)
from .justice_payment import add_payment
from .justice_phase1 import graph as phase1_graph
from .justice_vote import add_group_vote
from .protocol_graph import ProtocolGraph, add_node

if TYPE_CHECKING:
    from ..state.contexts import arguments


class JusticeGraphState(
    DeliberationState,
    Phase1ResultsState,
    SpeakingOrderState,
    ReasoningState,
    BallotBoxState,
    VoteProgressState,
    PaymentState,
    PendingMemoryState,
    ExperimentState,
):
    """Channels of the graph of the justice experiment."""


def build(
    *, templates: Templates = TEMPLATES, turn_order: SpeakingOrder = draw_round_order
) -> "ProtocolGraph[arguments.JusticeContext | JusticeSettings, arguments.JusticeInput]":
    """Build the uncompiled graph. To add a checkpointer, use `build().compile(checkpointer=...)`.

    You can pass your own `templates` and `turn_order`. Raises `InputError` if the turn order reads a channel or setting
    that this graph lacks.
    """
    graph: ProtocolGraph[Any, Any] = ProtocolGraph(
        JusticeGraphState, JusticeSettings, input_schema=JusticeInput, output_schema=JusticeOutput
    )
    add_node(graph, "convene", convene(templates))
    add_node(graph, "alone", Phase1Runnable(phase1_graph), "phase 1")
    add_node(graph, "meet", meet, "phase 1")
    add_node(graph, "decide", decide)
    add_round(graph, turn_order)
    add_group_vote(graph)
    add_node(graph, "consensus", record_ending, "ending")
    add_node(graph, "remember_rule", remember_rule, "payment")
    add_node(graph, "imposed", record_ending, "ending")
    add_node(graph, "cap", record_ending, "ending")
    add_node(graph, "halt", record_ending, "ending")
    add_payment(graph)

    next_steps: dict[Hashable, str] = {"next round": "order", "vote?": "initiate", "confirm": "confirm"}
    endings: dict[Hashable, str] = {"consensus": "consensus", "imposed": "imposed", "cap": "cap", "halt": "halt"}
    graph.add_edge(START, "convene")
    graph.add_conditional_edges("convene", route_to_phase1, ["alone"])
    graph.add_edge("alone", "meet")
    graph.add_edge("meet", "decide")
    graph.add_edge("remember", "decide")
    graph.add_edge("tally", "decide")
    graph.add_conditional_edges("decide", route_by_decision, {**next_steps, **endings})
    graph.add_conditional_edges("consensus", route_to_each("remember_rule"), ["remember_rule"])
    graph.add_edge("remember_rule", "pay")
    graph.add_edge("imposed", "pay")
    graph.add_edge("cap", "pay")
    graph.add_edge("halt", "conclude")
    return graph


def add_round(graph: ProtocolGraph, turn_order: SpeakingOrder) -> None:
    """Add the nodes of one round of discussion, from the node `order` to the node `remember`.

    Participants take turns. Each first reasons, if the settings enable it, and then speaks.
    """
    add_node(graph, "order", fill_floor(turn_order), "speak")
    add_node(graph, "reason", reason, "speak")
    add_node(graph, "speak", speak)
    add_node(graph, "remember", remember)

    turn_routes: dict[Hashable, str] = {"think": "reason", "next speaker": "speak"}
    graph.add_conditional_edges("order", route_to_speaker, turn_routes)
    graph.add_edge("reason", "speak")
    graph.add_conditional_edges("speak", route_to_speaker, {**turn_routes, "round done": "remember"})


graph = build().compile(name="justice")
