"""Debate: two speakers, for and against, answer each other in turn until one concedes, they are stuck, or the cap.

A neutral model, which took no side, writes the synthesis.
"""

from collections.abc import Hashable

from langgraph.graph import END, START

from ..nodes import statement as speech
from ..nodes import synthesize as closing
from ..nodes.convene import convene
from ..nodes.decide import decide
from ..nodes.order import order, seats
from ..nodes.roads import after_turn
from ..nodes.seats import two_sides
from ..nodes.speak import speak
from ..nodes.synthesize import synthesize
from ..prompts import catalogue
from ..state.debate import DebateRules
from ..state.deliberation import Deliberation, Judging
from ..state.ends import budget_spent, first_of, side_absent, talked_out, turns_capped
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


def build() -> Drawing:
    """The debate's drawing, not yet compiled: add a checkpointer of your own with `build().compile(...)`."""
    graph = Drawing(Debate, DebateRules, input_schema=Input, output_schema=Result)
    place(graph, "convene", convene(DebateRules, two_sides, WORDS))
    place(graph, "order", order(seats))
    place(graph, "speak", speak(WORDS))
    place(graph, "decide", decide(WORDS))
    place(graph, "synthesize", synthesize(WORDS, ENDING))

    roads: dict[Hashable, str] = {"next speaker": "speak", "round done": "order", "over": "synthesize"}
    graph.add_edge(START, "convene")
    graph.add_edge("convene", "order")
    graph.add_edge("order", "speak")
    graph.add_conditional_edges("speak", after_turn(ENDING), {**roads, "judge": "decide"})
    graph.add_conditional_edges("decide", after_turn(ENDING), roads)
    graph.add_edge("synthesize", END)
    return graph


graph = build().compile(name="debate")
