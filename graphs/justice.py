"""Justice: everyone meets four principles alone, for pay; then the group tries to adopt one behind a veil of ignorance.

Only after that are incomes and classes drawn and paid. Measured is whether the group agrees, and how rankings move.
"""

from collections.abc import Hashable
from typing import Any

from langgraph.graph import START

from ..nodes.justice.convene import convene
from ..nodes.justice.phase1_branch import PhaseAlone
from ..nodes.justice.roads import after_count, after_meeting, after_report, after_round, to_everyone_alone, to_speaker
from ..nodes.justice.round import SpeakingOrder, by_speaking_order, meet, remember
from ..nodes.justice.round import order as open_round
from ..nodes.justice.speak import reason, speak
from ..nodes.justice.take_in import take_in_adoption
from ..nodes.justice.tally import report
from ..nodes.justice.words import WORDS
from ..prompts import Catalogue
from ..state.contexts import knobs
from ..state.deliberation import Deliberation
from ..state.justice import JusticeRules
from ..state.justice.channels import Alone, Box, Course, Experiment, Orders, Paid, Thoughts, Unread
from ..state.justice.writes import JusticeInput, JusticeOutput
from .justice_payment import add_payment
from .justice_phase1 import graph as phase1
from .justice_vote import add_group_vote
from .wiring import Drawing, place


class Justice(Deliberation, Alone, Orders, Thoughts, Box, Course, Paid, Unread, Experiment):
    """What the experiment's state holds."""


def build(
    *, words: Catalogue = WORDS, order: SpeakingOrder = by_speaking_order
) -> Drawing[knobs.JusticeContext | JusticeRules, knobs.JusticeInput]:
    """The experiment's drawing, not yet compiled: add a checkpointer of your own with `build().compile(...)`.

    `words` and `order` may be your own. Raises `Refused` for an order that reads what an experiment does not carry.
    """
    graph: Drawing[Any, Any] = Drawing(Justice, JusticeRules, input_schema=JusticeInput, output_schema=JusticeOutput)
    place(graph, "convene", convene(words))
    place(graph, "alone", PhaseAlone(phase1))
    place(graph, "meet", meet)
    add_round(graph, order)
    add_group_vote(graph)
    place(graph, "report", report)
    place(graph, "take_in_adoption", take_in_adoption)
    add_payment(graph)

    onward: dict[Hashable, str] = {"next round": "order", "over": "pay"}
    met: dict[Hashable, str] = {"discuss": "order", "imposed": "pay", "budget spent": "conclude"}
    voting: dict[Hashable, str] = {"vote?": "initiate", "confirm": "confirm", "budget spent": "conclude"}
    counted: dict[Hashable, str] = {"no consensus": "report", "take_in_adoption": "take_in_adoption"}
    graph.add_edge(START, "convene")
    graph.add_conditional_edges("convene", to_everyone_alone, ["alone"])
    graph.add_edge("alone", "meet")
    graph.add_conditional_edges("meet", after_meeting, met)
    graph.add_conditional_edges("remember", after_round, {**onward, **voting})
    graph.add_conditional_edges("tally", after_count, {**onward, **counted})
    graph.add_conditional_edges("report", after_report, onward)
    graph.add_edge("take_in_adoption", "pay")
    return graph


def add_round(graph: Drawing, order: SpeakingOrder) -> None:
    """Add a round of talk, from `order` to `remember`: each in turn thinks, if it does so, and speaks."""
    place(graph, "order", open_round(order))
    place(graph, "reason", reason)
    place(graph, "speak", speak)
    place(graph, "remember", remember)

    turn: dict[Hashable, str] = {"think": "reason", "speak": "speak"}
    graph.add_conditional_edges("order", to_speaker, turn)
    graph.add_edge("reason", "speak")
    graph.add_conditional_edges("speak", to_speaker, {**turn, "round done": "remember"})


graph = build().compile(name="justice")
