"""Panel: experts read the same papers and discuss them in turn. A conclusion cites the papers.

The conclusion may cite only these papers, and quote only text that they contain.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from langgraph.graph import END, START

from ..nodes import statement as statement_node
from ..nodes.convene import convene
from ..nodes.decide import decide, route_by_decision
from ..nodes.fill_floor import TurnOrder, fill_floor, order_by_seat
from ..nodes.panel.paper_check import build_closing_check, build_speaker_check
from ..nodes.panel.retrieve import choose_closing_template, query, retrieve, say_nothing_found
from ..nodes.panel.seats import seat_experts
from ..nodes.positions import take_position as position_node
from ..nodes.positions.due_positions import make_position_lister, measure_answer
from ..nodes.positions.take_position import take_position
from ..nodes.speak import speak
from ..nodes.synthesize import synthesize
from ..prompts import Templates, load_templates
from ..state import CAPS, CONCESSIONS, STALEMATES, DeliberationState, EndingKinds, JudgeState, stop_if_all_absent
from ..state.panel import PanelSettings
from ..state.papers import (
    NO_PAPERS,
    PanelInput,
    PanelResult,
    QueryState,
    SearchState,
    stop_on_direct_answer,
    stop_without_papers,
)
from ..state.positions import PositionRecordState, stop_on_calibration, stop_on_declarations
from ..state.stopping.rules import StoppingRule, stop_after_planned_rounds, stop_at_budget, stop_on_first
from .protocol_graph import ProtocolGraph, add_endings, add_node

if TYPE_CHECKING:
    from ..state.contexts import arguments

TEMPLATES = load_templates(
    "panel",
    system="topic participants words language",
    open=statement_node.STATEMENT_FIELDS,
    speak=statement_node.STATEMENT_FIELDS,
    position=position_node.POSITION_FIELDS,
    synthesize="words language",
    answer="words language",
)
STOPPING_RULE = stop_on_first(
    stop_if_all_absent,
    stop_after_planned_rounds,
    stop_on_declarations,
    stop_on_calibration,
    stop_at_budget,
)


OPENING_RULE = stop_on_first(stop_without_papers, stop_on_direct_answer)
ENDINGS: EndingKinds = {"agreement": (*CONCESSIONS, *STALEMATES), "cap": CAPS, "halt": ()}
"""Kinds of endings. `halt`: no expert is available, or a custom rule stops the panel."""


class PanelGraphState(DeliberationState, JudgeState, QueryState, SearchState, PositionRecordState):
    """Channels of the panel graph."""


def build(
    *,
    stopping_rule: StoppingRule = STOPPING_RULE,
    templates: Templates = TEMPLATES,
    turn_order: TurnOrder = order_by_seat,
) -> "ProtocolGraph[arguments.PanelContext | PanelSettings, arguments.PanelInput]":
    """Build the uncompiled graph. To add a checkpointer, use `build().compile(checkpointer=...)`.

    You can pass your own `stopping_rule`, `templates` and `turn_order`. Raises `InputError` if the stopping rule or
    turn order reads a channel or setting that this graph lacks.
    """
    graph: ProtocolGraph[Any, Any] = ProtocolGraph(
        PanelGraphState, PanelSettings, input_schema=PanelInput, output_schema=PanelResult
    )
    add_node(graph, "convene", convene(PanelSettings, seat_experts, templates, query))
    add_node(graph, "retrieve", retrieve)
    add_node(
        graph,
        "decide",
        decide(
            stopping_rule,
            {**ENDINGS, "no_papers": NO_PAPERS},
            measure=measure_answer,
            list_questions=make_position_lister(),
            opening_rule=OPENING_RULE,
        ),
    )
    add_node(graph, "order", fill_floor(turn_order), "speak")
    add_node(graph, "speak", speak(templates, build_speaker_check))
    add_node(graph, "take_position", take_position(templates), "questions")
    endings = {**add_endings(graph, ENDINGS, "synthesize"), "no_papers": "no_papers"}
    add_node(graph, "synthesize", synthesize(templates, build_closing_check, choose_closing_template))
    add_node(graph, "no_papers", say_nothing_found, "ending")

    next_steps: dict[Hashable, str] = {"next round": "order", "next speaker": "speak", "take_position": "take_position"}
    graph.add_edge(START, "convene")
    graph.add_edge("convene", "retrieve")
    graph.add_edge("retrieve", "decide")
    graph.add_conditional_edges("decide", route_by_decision, {**next_steps, **endings})
    graph.add_edge("order", "speak")
    graph.add_edge("speak", "decide")
    graph.add_edge("take_position", "decide")
    graph.add_edge("synthesize", END)
    graph.add_edge("no_papers", END)
    return graph


graph = build().compile(name="panel")
