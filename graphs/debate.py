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
from ..nodes.positions import name_answer as naming
from ..nodes.positions import take_position as declaring
from ..nodes.positions.name_answer import name_answer
from ..nodes.positions.roads import asking, begun, once_asked
from ..nodes.positions.take_position import take_position
from ..nodes.positions.take_stock import take_stock
from ..nodes.roads import after_turn
from ..nodes.seats import two_sides
from ..nodes.speak import speak
from ..nodes.synthesize import synthesize
from ..prompts import Catalogue, catalogue
from ..state.contexts import knobs
from ..state.debate import DebateRules
from ..state.deliberation import Deliberation, Judging
from ..state.ends import EndingRule, budget_spent, first_of, side_absent, talked_out, turns_capped
from ..state.positions.channels import Positions, PositionsResult
from ..state.positions.ends import calibrated, declared, sequential
from ..state.writes import Input
from .wiring import Drawing, place

WORDS = catalogue(
    "debate",
    system="topic participants max_turns words language",
    open=speech.FIELDS,
    speak=speech.FIELDS,
    judge="language",
    position=declaring.FIELDS,
    name_answer=naming.FIELDS,
    synthesize=closing.FIELDS,
)
ENDING = first_of(side_absent, talked_out, declared, sequential, calibrated, turns_capped, budget_spent)


class Debate(Deliberation, Judging, Positions):
    """What a debate's state holds."""


def build(
    *, ending: EndingRule = ENDING, words: Catalogue = WORDS, order: Order = seats
) -> Drawing[knobs.DebateContext | DebateRules, knobs.DebateInput]:
    """The debate's drawing, not yet compiled: add a checkpointer of your own with `build().compile(...)`.

    `ending`, `words` and `order` may be your own. Raises `Refused` for one that reads what a debate does not carry.
    """
    graph: Drawing[Any, Any] = Drawing(Debate, DebateRules, input_schema=Input, output_schema=PositionsResult)
    place(graph, "convene", convene(DebateRules, two_sides, words))
    place(graph, "order", open_round(order))
    place(graph, "speak", speak(words))
    place(graph, "decide", decide(words))
    place(graph, "take_position", take_position(words))
    place(graph, "name_answer", name_answer(words))
    place(graph, "take_stock", take_stock)
    place(graph, "synthesize", synthesize(words, ending))

    turn = asking(after_turn(ending), at=["round done"], over=["over"])
    asked: dict[Hashable, str] = {"take_position": "take_position", "name_answer": "name_answer"}
    roads: dict[Hashable, str] = {"next speaker": "speak", "round done": "order", "over": "synthesize"}
    first: dict[Hashable, str] = {"begin": "order", "take_position": "take_position"}
    then: dict[Hashable, str] = {"round done": "order", "over": "synthesize", "name_answer": "name_answer"}
    graph.add_edge(START, "convene")
    graph.add_conditional_edges("convene", asking(begun, at=["begin"]), first)
    graph.add_edge("order", "speak")
    graph.add_conditional_edges("speak", turn, {**roads, **asked, "judge": "decide"})
    graph.add_conditional_edges("decide", turn, {**roads, **asked})
    graph.add_edge("take_position", "take_stock")
    graph.add_edge("name_answer", "take_stock")
    graph.add_conditional_edges("take_stock", once_asked(turn, "round done"), then)
    graph.add_edge("synthesize", END)
    return graph


graph = build().compile(name="debate")
