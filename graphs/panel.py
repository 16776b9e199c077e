"""Panel: experts read the same papers and speak one after the other; one conclusion is written from it all.

The conclusion may cite only papers on the table and quote only words that stand in them.
"""

from collections.abc import Hashable
from typing import Any

from langgraph.graph import END, START

from ..nodes import statement as speech
from ..nodes.convene import convene
from ..nodes.library.retrieve import (
    after_retrieval,
    closing_template,
    papers_on_the_table,
    query,
    retrieve,
    say_nothing_found,
    speakers_papers,
)
from ..nodes.order import Order, seats
from ..nodes.order import order as open_round
from ..nodes.positions import take_position as declaring
from ..nodes.positions.roads import asking, once_asked
from ..nodes.positions.take_position import take_position
from ..nodes.positions.take_stock import take_stock
from ..nodes.roads import after_turn
from ..nodes.seats import experts
from ..nodes.speak import speak
from ..nodes.synthesize import synthesize
from ..prompts import Catalogue, catalogue
from ..state.contexts import knobs
from ..state.deliberation import Deliberation, Judging
from ..state.ends import EndingRule, all_absent, all_have_spoken, answered_directly, budget_spent, first_of
from ..state.panel import PanelRules
from ..state.papers.channels import Asked, PanelInput, PanelResult, PapersFound
from ..state.positions.channels import Positions
from ..state.positions.ends import calibrated, declared, sequential
from .wiring import Drawing, place

WORDS = catalogue(
    "panel",
    system="topic participants words language",
    open=speech.FIELDS,
    speak=speech.FIELDS,
    position=declaring.FIELDS,
    synthesize="words language",
    answer="words language",
)
ENDING = first_of(answered_directly, all_absent, all_have_spoken, declared, sequential, calibrated, budget_spent)


class Panel(Deliberation, Judging, Asked, PapersFound, Positions):
    """What a panel's state holds."""


def build(
    *, ending: EndingRule = ENDING, words: Catalogue = WORDS, order: Order = seats
) -> Drawing[knobs.PanelContext | PanelRules, knobs.PanelInput]:
    """The panel's drawing, not yet compiled: add a checkpointer of your own with `build().compile(...)`.

    `ending`, `words` and `order` may be your own. Raises `Refused` for one that reads what a panel does not carry.
    """
    graph: Drawing[Any, Any] = Drawing(Panel, PanelRules, input_schema=PanelInput, output_schema=PanelResult)
    place(graph, "convene", convene(PanelRules, experts, words, query))
    place(graph, "retrieve", retrieve)
    place(graph, "order", open_round(order))
    place(graph, "speak", speak(words, speakers_papers))
    place(graph, "take_position", take_position(words))
    place(graph, "take_stock", take_stock)
    place(graph, "synthesize", synthesize(words, ending, papers_on_the_table, closing_template))
    place(graph, "say_nothing_found", say_nothing_found)

    turn = asking(after_turn(ending), at=["round done"], over=["over"])
    asked: dict[Hashable, str] = {"take_position": "take_position"}
    then: dict[Hashable, str] = {"round done": "order", "over": "synthesize"}
    graph.add_edge(START, "convene")
    graph.add_edge("convene", "retrieve")
    graph.add_conditional_edges(
        "retrieve",
        asking(after_retrieval, at=["discuss"]),
        {"discuss": "order", "answer directly": "synthesize", "no papers": "say_nothing_found", **asked},
    )
    graph.add_edge("order", "speak")
    graph.add_conditional_edges("speak", turn, {"next speaker": "speak", **then, **asked})
    graph.add_edge("take_position", "take_stock")
    graph.add_conditional_edges("take_stock", once_asked(turn, "round done"), then)
    graph.add_edge("synthesize", END)
    graph.add_edge("say_nothing_found", END)
    return graph


graph = build().compile(name="panel")
