"""Debate: two speakers, for and against, answer each other in turn until one concedes, they are stuck, or the cap.

A neutral model, which took no side, writes the synthesis.
"""

from collections.abc import Hashable
from typing import Any

from langgraph.graph import END, START

from ..nodes import statement as speech
from ..nodes import synthesize as closing
from ..nodes.convene import convene
from ..nodes.decide import decide
from ..nodes.order import Order, seats
from ..nodes.order import order as open_round
from ..nodes.roads import after_turn
from ..nodes.seats import two_sides
from ..nodes.speak import speak
from ..nodes.synthesize import synthesize
from ..prompts import Catalogue, catalogue
from ..state.contexts import knobs
from ..state.debate import DebateRules
from ..state.deliberation import Deliberation, Judging
from ..state.ends import EndingRule, budget_spent, first_of, side_absent, talked_out, turns_capped
from ..state.writes import Input, Result
from .wiring import Drawing, place

WORDS = catalogue(
    "debate",
    system="topic participants max_turns words language",
    open=speech.FIELDS,
    speak=speech.FIELDS,
    judge="language",
    synthesize=closing.FIELDS,
)
ENDING = first_of(side_absent, talked_out, turns_capped, budget_spent)


class Debate(Deliberation, Judging):
    """What a debate's state holds."""


def build(
    *, ending: EndingRule = ENDING, words: Catalogue = WORDS, order: Order = seats
) -> Drawing[knobs.DebateContext | DebateRules, knobs.DebateInput]:
    """The debate's drawing, not yet compiled: add a checkpointer of your own with `build().compile(...)`.

    `ending`, `words` and `order` may be your own. Raises `Refused` for one that reads what a debate does not carry.
    """
    graph: Drawing[Any, Any] = Drawing(Debate, DebateRules, input_schema=Input, output_schema=Result)
    place(graph, "convene", convene(DebateRules, two_sides, words))
    place(graph, "order", open_round(order))
    place(graph, "speak", speak(words))
    place(graph, "decide", decide(words))
    place(graph, "synthesize", synthesize(words, ending))

    roads: dict[Hashable, str] = {"next speaker": "speak", "round done": "order", "over": "synthesize"}
    graph.add_edge(START, "convene")
    graph.add_edge("convene", "order")
    graph.add_edge("order", "speak")
    graph.add_conditional_edges("speak", after_turn(ending), {**roads, "judge": "decide"})
    graph.add_conditional_edges("decide", after_turn(ending), roads)
    graph.add_edge("synthesize", END)
    return graph


graph = build().compile(name="debate")
