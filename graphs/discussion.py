"""Discussion: a long session. Participants speak in turn until someone closes it.

Participants are models, people and programs. The session waits for people. It asks a model only in its turn.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from langgraph.graph import END, START

from ..nodes import statement as statement_node, summarize_history as summary_node
from ..nodes.convene import convene
from ..nodes.decide import decide, route_by_decision
from ..nodes.positions import take_position as position_node
from ..nodes.positions.due_positions import make_position_lister, measure_answer
from ..nodes.positions.take_position import take_position
from ..nodes.session.close_session import close_session, stop_at_session_round_cap, stop_by_status
from ..nodes.session.open_session import await_answers, begin, invite, route_after_invitation
from ..nodes.session.receive_message import receive_message
from ..nodes.session.routes import choose_next_in_session, route_in_session
from ..nodes.session.seats import seat_session
from ..nodes.session.take_turn import take_turn
from ..nodes.summarize_history import summarize_history
from ..prompts import Templates, load_templates
from ..state import (
    CAPS,
    CONCESSIONS,
    STALEMATES,
    DeliberationInput,
    DeliberationState,
    EndingKinds,
    JudgeState,
    stop_if_all_absent,
)
from ..state.discussion import DiscussionSettings
from ..state.positions import PositionRecordState, stop_on_calibration, stop_on_declarations
from ..state.session.channels import SessionLogState, SessionResult
from ..state.stopping.rules import StoppingRule, stop_at_budget, stop_at_turn_cap, stop_on_first
from .protocol_graph import ProtocolGraph, add_endings, add_node

if TYPE_CHECKING:
    from ..state.contexts import arguments

TEMPLATES = load_templates(
    "discussion",
    system="topic participants words language",
    open=statement_node.STATEMENT_FIELDS,
    speak=statement_node.STATEMENT_FIELDS,
    position=position_node.POSITION_FIELDS,
    summarize=summary_node.SUMMARY_FIELDS,
)
STOPPING_RULE = stop_on_first(
    stop_by_status,
    stop_if_all_absent,
    stop_on_declarations,
    stop_on_calibration,
    stop_at_turn_cap,
    stop_at_session_round_cap,
    stop_at_budget,
)


LIST_QUESTIONS = make_position_lister(open_rounds=1)
ENDINGS: EndingKinds = {
    "closing": ("closed", "declined"),
    "agreement": (*CONCESSIONS, *STALEMATES),
    "cap": (*CAPS, "expired"),
    "halt": (),
}
"""Kinds of endings. `halt`: no participant is available, or a custom rule stops the session."""


class DiscussionGraphState(DeliberationState, JudgeState, SessionLogState, PositionRecordState):
    """Channels of the discussion graph."""


def build(
    *, stopping_rule: StoppingRule = STOPPING_RULE, templates: Templates = TEMPLATES
) -> "ProtocolGraph[arguments.DiscussionContext | DiscussionSettings, arguments.DiscussionInput]":
    """Build the uncompiled graph. People need a checkpointer: `build().compile(checkpointer=...)`.

    You can pass your own `stopping_rule` and `templates`. The turn order is always a rotation. Raises `InputError` if
    the rule reads a channel or setting that this graph lacks.
    """
    graph: ProtocolGraph[Any, Any] = ProtocolGraph(
        DiscussionGraphState, DiscussionSettings, input_schema=DeliberationInput, output_schema=SessionResult
    )
    add_node(graph, "convene", convene(DiscussionSettings, seat_session, templates))
    add_node(graph, "invite", invite, "opening")
    add_node(graph, "await_answers", await_answers, "opening")
    add_node(graph, "begin", begin, "opening")
    add_node(
        graph,
        "decide",
        decide(
            stopping_rule,
            ENDINGS,
            measure=measure_answer,
            choose_next=choose_next_in_session,
            list_questions=LIST_QUESTIONS,
            opening_rule=stopping_rule,
        ),
    )
    add_node(graph, "take_turn", take_turn(templates), "speak")
    add_node(graph, "receive_message", receive_message, "speak")
    add_node(graph, "summarize_history", summarize_history(templates), "speak")
    add_node(graph, "take_position", take_position(templates), "questions")
    endings = add_endings(graph, ENDINGS, "close_session")
    add_node(graph, "close_session", close_session)

    answers: dict[Hashable, str] = {"waiting": "await_answers", "all answered": "begin"}
    next_steps: dict[Hashable, str] = {
        "a model's turn": "take_turn",
        "waiting": "receive_message",
        "window full": "summarize_history",
    }
    turns: dict[Hashable, str] = {**next_steps, "to decide": "decide"}
    route_turn = route_in_session(stopping_rule, LIST_QUESTIONS)
    graph.add_edge(START, "convene")
    graph.add_edge("convene", "invite")
    graph.add_conditional_edges("invite", route_after_invitation, answers)
    graph.add_conditional_edges("await_answers", route_after_invitation, answers)
    graph.add_edge("begin", "decide")
    graph.add_conditional_edges(
        "decide", route_by_decision, {**next_steps, "take_position": "take_position", **endings}
    )
    graph.add_conditional_edges("take_turn", route_turn, turns)
    graph.add_conditional_edges("receive_message", route_turn, turns)
    graph.add_conditional_edges("summarize_history", route_turn, turns)
    graph.add_edge("take_position", "decide")
    graph.add_edge("close_session", END)
    return graph


graph = build().compile(name="discussion")
