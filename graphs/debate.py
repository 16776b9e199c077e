"""Debate: two speakers argue for and against, until one concedes, they are stuck, or a cap is reached.

A model that took no side writes the synthesis.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from langgraph.graph import END, START

from ..nodes import ask_concession as concession_node, statement as statement_node, synthesize as synthesis_node
from ..nodes.ask_concession import ask_concession, make_concession_lister
from ..nodes.convene import convene
from ..nodes.debate.seats import seat_two_sides
from ..nodes.decide import decide, route_by_decision
from ..nodes.fill_floor import TurnOrder, fill_floor, order_by_seat
from ..nodes.judge import choose_next_or_judge, judge
from ..nodes.positions import name_answer as naming_node, take_position as position_node
from ..nodes.positions.due_positions import make_position_lister, measure_answer
from ..nodes.positions.name_answer import name_answer
from ..nodes.positions.take_position import take_position
from ..nodes.speak import speak
from ..nodes.synthesize import synthesize
from ..prompts import Templates, load_templates
from ..state import (
    CAPS,
    CONCESSIONS,
    STALEMATES,
    DeliberationInput,
    DeliberationState,
    EndingKinds,
    JudgeState,
    stop_if_side_absent,
)
from ..state.debate import DebateSettings
from ..state.positions import PositionRecordState, PositionsResult, stop_on_calibration, stop_on_declarations
from ..state.stopping.rules import StoppingRule, stop_at_budget, stop_at_turn_cap, stop_on_conversation, stop_on_first
from .protocol_graph import ProtocolGraph, add_endings, add_node

if TYPE_CHECKING:
    from ..state.contexts import arguments

TEMPLATES = load_templates(
    "debate",
    system="topic participants max_turns words language concede",
    open=statement_node.STATEMENT_FIELDS,
    speak=statement_node.STATEMENT_FIELDS,
    judge="language",
    ask_concession=concession_node.CONCESSION_FIELDS,
    position=position_node.POSITION_FIELDS,
    name_answer=naming_node.NAME_ANSWER_FIELDS,
    synthesize=synthesis_node.SYNTHESIS_FIELDS,
)
STOPPING_RULE = stop_on_first(
    stop_if_side_absent,
    stop_on_conversation,
    stop_on_declarations,
    stop_on_calibration,
    stop_at_turn_cap,
    stop_at_budget,
)


ENDINGS: EndingKinds = {"concession": CONCESSIONS, "stalemate": STALEMATES, "cap": CAPS, "halt": ()}
"""Kinds of endings. `halt`: a side is unavailable, or a custom rule stops the debate."""


class DebateGraphState(DeliberationState, JudgeState, PositionRecordState):
    """Channels of the debate graph."""


def build(
    *,
    stopping_rule: StoppingRule = STOPPING_RULE,
    templates: Templates = TEMPLATES,
    turn_order: TurnOrder = order_by_seat,
) -> "ProtocolGraph[arguments.DebateContext | DebateSettings, arguments.DebateInput]":
    """Build the uncompiled graph. To add a checkpointer, use `build().compile(checkpointer=...)`.

    You can pass your own `stopping_rule`, `templates` and `turn_order`. Raises `InputError` if the stopping rule or
    turn order reads a channel or setting that this graph lacks.
    """
    graph: ProtocolGraph[Any, Any] = ProtocolGraph(
        DebateGraphState, DebateSettings, input_schema=DeliberationInput, output_schema=PositionsResult
    )
    add_node(graph, "convene", convene(DebateSettings, seat_two_sides, templates))
    add_node(
        graph,
        "decide",
        decide(
            stopping_rule,
            ENDINGS,
            measure=measure_answer,
            choose_next=choose_next_or_judge,
            list_questions=make_concession_lister(make_position_lister()),
        ),
    )
    add_node(graph, "order", fill_floor(turn_order), "speak")
    add_node(graph, "speak", speak(templates))
    add_node(graph, "judge", judge(templates), "questions")
    add_node(graph, "ask_concession", ask_concession(templates), "questions")
    add_node(graph, "take_position", take_position(templates), "questions")
    add_node(graph, "name_answer", name_answer(templates), "questions")
    endings = add_endings(graph, ENDINGS, "synthesize")
    add_node(graph, "synthesize", synthesize(templates))

    next_steps: dict[Hashable, str] = {"next round": "order", "next speaker": "speak", "judge": "judge"}
    questions: dict[Hashable, str] = {
        "ask_concession": "ask_concession",
        "take_position": "take_position",
        "name_answer": "name_answer",
    }
    graph.add_edge(START, "convene")
    graph.add_edge("convene", "decide")
    graph.add_conditional_edges("decide", route_by_decision, {**next_steps, **questions, **endings})
    graph.add_edge("order", "speak")
    graph.add_edge("speak", "decide")
    graph.add_edge("judge", "decide")
    graph.add_edge("ask_concession", "decide")
    graph.add_edge("take_position", "decide")
    graph.add_edge("name_answer", "decide")
    graph.add_edge("synthesize", END)
    return graph


graph = build().compile(name="debate")
