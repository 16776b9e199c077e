"""Consensus: a group looks for common ground. Moot measures the agreement and records the dissent.

The first round is blind. After each complete round, all participants remember it and declare a position. If they agree,
Moot asks each one to accept a draft of their common ground. An objection returns the group to the discussion.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from langgraph.graph import END, START

from ..nodes.consensus.common_ground import COMMON_GROUND_FIELDS, write_common_ground
from ..nodes.consensus.confirm import CONFIRMATION_FIELDS, confirm, tell_objections
from ..nodes.consensus.declare import DECLARATION_FIELDS, declare
from ..nodes.consensus.draft import DRAFT_FIELDS, draft
from ..nodes.consensus.judge_agreement import judge_agreement
from ..nodes.consensus.measure_agreement import measure_agreement
from ..nodes.consensus.routes import list_due_questions, needs_vote, route_after_speaker, route_to_speakers
from ..nodes.consensus.seats import seat_group
from ..nodes.consensus.vote_options import map_vote_options
from ..nodes.convene import convene
from ..nodes.decide import decide, route_by_decision
from ..nodes.fill_floor import TurnOrder, fill_floor, order_by_setting
from ..nodes.positions.take_position import POSITION_FIELDS, take_position
from ..nodes.remember import remember
from ..nodes.speak import speak
from ..nodes.statement import STATEMENT_FIELDS
from ..nodes.summarize_history import SUMMARY_FIELDS, summarize_history
from ..nodes.voting.vote import BALLOT_FIELDS, CONSENT_FIELDS
from ..prompts import Templates, load_templates
from ..state import DeliberationInput, DeliberationState, JudgeState, stop_if_all_absent
from ..state.consensus import ConsensusSettings, ConvergenceState, GroupResult
from ..state.consensus.stopping_rules import stop_on_agreement, stop_on_calibrated_agreement, stop_on_stable_positions
from ..state.ending import AGREEMENTS, CAPS, STALEMATES, EndingKinds
from ..state.positions import PositionRecordState, stop_on_calibration
from ..state.stopping.rules import (
    StoppingRule,
    stop_at_budget,
    stop_at_round_cap,
    stop_at_turn_cap,
    stop_mid_round,
    stop_on_conversation,
    stop_on_first,
)
from ..state.voting.channels import VotingState
from .protocol_graph import ProtocolGraph, add_endings, add_node, add_questions
from .voting import add_vote

if TYPE_CHECKING:
    from ..state.contexts import arguments

TEMPLATES = load_templates(
    "consensus",
    system="topic participants words language",
    open=STATEMENT_FIELDS,
    speak=STATEMENT_FIELDS,
    declare=DECLARATION_FIELDS,
    position=POSITION_FIELDS,
    judge="language",
    draft=DRAFT_FIELDS,
    confirm=CONFIRMATION_FIELDS,
    consent=CONSENT_FIELDS,
    ballot=BALLOT_FIELDS,
    summarize=SUMMARY_FIELDS,
    synthesize=COMMON_GROUND_FIELDS,
)
MID_ROUND_RULE = stop_on_first(stop_if_all_absent, stop_mid_round, stop_at_budget)
STOPPING_RULE = stop_on_first(
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
VOTE_PREVENTION_RULE = stop_on_first(stop_if_all_absent, stop_at_budget)

ENDINGS: EndingKinds = {"consensus": AGREEMENTS, "stalemate": STALEMATES, "cap": CAPS, "halt": ()}
"""Kinds of endings without a vote. `halt`: no participant is available, or a custom rule stops the dialogue."""


class ConsensusGraphState(DeliberationState, JudgeState, PositionRecordState, ConvergenceState, VotingState):
    """Channels of the consensus graph."""


def build(
    *,
    stopping_rule: StoppingRule = STOPPING_RULE,
    templates: Templates = TEMPLATES,
    turn_order: TurnOrder = order_by_setting,
) -> "ProtocolGraph[arguments.ConsensusContext | ConsensusSettings, arguments.ConsensusInput]":
    """Build the uncompiled graph. To add a checkpointer, use `build().compile(checkpointer=...)`.

    You can pass your own `stopping_rule` (checked after complete rounds), `templates` and `turn_order`. Raises
    `InputError` if the stopping rule or turn order reads a channel or setting that this graph lacks.
    """
    graph: ProtocolGraph[Any, Any] = ProtocolGraph(
        ConsensusGraphState, ConsensusSettings, input_schema=DeliberationInput, output_schema=GroupResult
    )
    add_node(graph, "convene", convene(ConsensusSettings, seat_group, templates))
    add_node(
        graph,
        "decide",
        decide(
            stop_on_first(stopping_rule, MID_ROUND_RULE),
            ENDINGS,
            measure=measure_agreement(VOTE_PREVENTION_RULE),
            list_questions=list_due_questions,
            needs_vote=needs_vote,
        ),
    )
    add_node(graph, "order", fill_floor(turn_order), "speak")
    add_node(graph, "summarize_history", summarize_history(templates), "speak")
    add_node(graph, "speak", speak(templates))
    add_node(graph, "remember", remember())
    questions = add_questions(
        graph,
        declare=declare(templates),
        take_position=take_position(templates),
        judge=judge_agreement(templates),
        draft=draft(templates),
        confirm=confirm(templates),
    )
    add_node(graph, "tell_objections", tell_objections, "remember")
    add_vote(graph, templates, map_vote_options, CAP_RULE, VOTE_PREVENTION_RULE)
    endings = add_endings(graph, ENDINGS, "synthesize")
    add_node(graph, "synthesize", write_common_ground(templates))

    next_steps: dict[Hashable, str] = {"next round": "order", "objected": "tell_objections", "vote": "initiate"}
    speakers: dict[Hashable, str] = {"window full": "summarize_history", "speak": "speak"}
    turns: dict[Hashable, str] = {"next speaker": "speak", "round done": "remember", "stopped": "decide"}
    graph.add_edge(START, "convene")
    graph.add_edge("convene", "decide")
    graph.add_conditional_edges("decide", route_by_decision, {**next_steps, **questions, **endings})
    graph.add_conditional_edges("order", route_to_speakers, speakers)
    graph.add_conditional_edges("summarize_history", route_to_speakers, speakers)
    graph.add_conditional_edges("speak", route_after_speaker(MID_ROUND_RULE), turns)
    graph.add_edge("remember", "decide")
    graph.add_edge("tell_objections", "decide")
    graph.add_edge("synthesize", END)
    return graph


graph = build().compile(name="consensus")
