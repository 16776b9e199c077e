"""Consensus: three or more look for common ground; what they agree on is measured, and dissent is kept.

The first round is blind. After each complete round everyone remembers it and declares a position.
"""

from collections.abc import Hashable
from typing import Any

from langgraph.graph import END, START

from ..nodes import statement as statement_node
from ..nodes import summarize_history as summary_node
from ..nodes.consensus import common_ground as common_ground_node
from ..nodes.consensus import declare as declaration_node
from ..nodes.consensus.common_ground import write_common_ground
from ..nodes.consensus.decide import decide
from ..nodes.consensus.declare import declare
from ..nodes.consensus.routes import route_to_measure, route_to_speakers
from ..nodes.consensus.vote_options import list_vote_options
from ..nodes.convene import convene
from ..nodes.fill_floor import TurnOrder, fill_floor, order_by_setting
from ..nodes.positions import take_position as position_node
from ..nodes.positions.aggregate_positions import aggregate_positions
from ..nodes.positions.routes import route_after_positions, route_through_positions, route_to_first_round
from ..nodes.positions.take_position import take_position
from ..nodes.remember import remember
from ..nodes.routes import route_after_round, route_after_turn
from ..nodes.seats import seat_group
from ..nodes.speak import speak, speak_blind
from ..nodes.summarize_history import summarize_history
from ..nodes.voting import vote as vote_node
from ..prompts import Templates, load_templates
from ..state.availability import stop_if_all_absent
from ..state.consensus import ConsensusSettings
from ..state.consensus.channels import ConvergenceState, GroupResult
from ..state.consensus.stopping_rules import stop_on_agreement, stop_on_calibrated_agreement, stop_on_stable_positions
from ..state.contexts import arguments
from ..state.deliberation import DeliberationState, JudgeState
from ..state.positions.channels import PositionRecordState
from ..state.positions.stopping_rules import stop_on_calibration
from ..state.schemas import DeliberationInput
from ..state.stopping_rules import (
    StoppingRule,
    stop_at_budget,
    stop_at_round_cap,
    stop_at_turn_cap,
    stop_mid_round,
    stop_on_conversation,
    stop_on_first,
)
from ..state.voting.channels import VotingState
from ..state.voting.stopping_rules import stop_on_vote
from .protocol_graph import ProtocolGraph, add_node
from .voting import add_vote

TEMPLATES = load_templates(
    "consensus",
    system="topic participants words language",
    open=statement_node.STATEMENT_FIELDS,
    speak=statement_node.STATEMENT_FIELDS,
    declare=declaration_node.DECLARATION_FIELDS,
    position=position_node.POSITION_FIELDS,
    weigh="language",
    consent=vote_node.CONSENT_FIELDS,
    ballot=vote_node.BALLOT_FIELDS,
    summarize=summary_node.SUMMARY_FIELDS,
    synthesize=common_ground_node.COMMON_GROUND_FIELDS,
)
MID_ROUND_RULE = stop_on_first(stop_if_all_absent, stop_mid_round, stop_at_budget)
STOPPING_RULE = stop_on_first(
    stop_on_vote,
    stop_if_all_absent,
    stop_on_agreement,
    stop_on_conversation,
    stop_on_calibration,
    stop_on_calibrated_agreement,
    stop_on_stable_positions,
    stop_at_round_cap,
    stop_at_turn_cap,
    stop_at_budget,
)
CAP_RULE = stop_on_first(stop_at_round_cap, stop_at_turn_cap)
NO_VOTE_RULE = stop_on_first(stop_if_all_absent, stop_at_budget)

SPEAKER_NODES = ["speak", "speak_unheard", "condense"]
END_ROUTES: dict[Hashable, str] = {"vote": "initiate", "over": "synthesize"}
POSITION_ROUTES: dict[Hashable, str] = {"take_position": "take_position"}
NEXT_ROUND_ROUTES: dict[Hashable, str] = {"next round": "order", **END_ROUTES}
TURN_ROUTES: dict[Hashable, str] = {"next speaker": "speak", "round done": "remember", **END_ROUTES, **POSITION_ROUTES}
ROUND_ROUTES: dict[Hashable, str] = {**NEXT_ROUND_ROUTES, **POSITION_ROUTES, "declare": "declare", "measure": "weigh"}


class Consensus(DeliberationState, JudgeState, PositionRecordState, ConvergenceState, VotingState):
    """State of a consensus dialogue."""


def build(
    *,
    stopping_rule: StoppingRule = STOPPING_RULE,
    templates: Templates = TEMPLATES,
    turn_order: TurnOrder = order_by_setting,
) -> ProtocolGraph[arguments.ConsensusContext | ConsensusSettings, arguments.ConsensusInput]:
    """Build the graph of the dialogue, not yet compiled: add a checkpointer with `build().compile(...)`.

    `stopping_rule` (checked after complete rounds), `templates` and `turn_order` may be your own. Raises
    `InputError` for one that reads a channel or setting which a dialogue lacks.
    """
    graph: ProtocolGraph[Any, Any] = ProtocolGraph(
        Consensus, ConsensusSettings, input_schema=DeliberationInput, output_schema=GroupResult
    )
    add_node(graph, "convene", convene(ConsensusSettings, seat_group, templates))
    add_node(graph, "order", fill_floor(turn_order))
    add_node(graph, "condense", summarize_history(templates))
    add_node(graph, "speak", speak(templates))
    add_node(graph, "speak_unheard", speak_blind(templates))
    add_node(graph, "remember", remember())
    add_node(graph, "declare", declare(templates))
    add_node(graph, "weigh", decide(templates))
    add_node(graph, "take_position", take_position(templates))
    add_node(graph, "take_stock", aggregate_positions)
    add_vote(graph, templates, list_vote_options, CAP_RULE, NO_VOTE_RULE)
    add_node(graph, "synthesize", write_common_ground(templates, stopping_rule))

    breaks, ends = ["next round"], ["vote", "over"]
    start_route = route_through_positions(route_to_first_round, between=["begin"])
    turn_route = route_through_positions(route_after_turn(MID_ROUND_RULE), over=ends)
    round_route = route_through_positions(route_to_measure(stopping_rule), between=breaks, over=ends)
    measure_route = route_through_positions(route_after_round(stopping_rule), between=breaks, over=ends)
    graph.add_edge(START, "convene")
    graph.add_conditional_edges("convene", start_route, {"begin": "order", **POSITION_ROUTES})
    graph.add_conditional_edges("order", route_to_speakers("speak", "speak_unheard"), SPEAKER_NODES)
    graph.add_conditional_edges("condense", route_to_speakers("speak", "speak_unheard"), SPEAKER_NODES)
    graph.add_conditional_edges("speak", turn_route, TURN_ROUTES)
    graph.add_edge("speak_unheard", "remember")
    graph.add_conditional_edges("remember", round_route, ROUND_ROUTES)
    graph.add_edge("declare", "weigh")
    graph.add_conditional_edges("weigh", measure_route, {**NEXT_ROUND_ROUTES, **POSITION_ROUTES})
    graph.add_edge("take_position", "take_stock")
    graph.add_conditional_edges("take_stock", route_after_positions(measure_route, "next round"), NEXT_ROUND_ROUTES)
    graph.add_edge("synthesize", END)
    return graph


graph = build().compile(name="consensus")
