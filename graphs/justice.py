"""Justice: everyone meets four principles alone, for pay; then the group tries to adopt one behind a veil of ignorance.

Only after that are incomes and classes drawn and paid. Measured is whether the group agrees, and how rankings move.
"""

from collections.abc import Hashable
from typing import Any

from langgraph.graph import END, START, StateGraph

from ..nodes.justice.alone import PhaseAlone
from ..nodes.justice.conclude import conclude, pay
from ..nodes.justice.convene import convene
from ..nodes.justice.count import collect, heed, report, tally
from ..nodes.justice.roads import (
    after_ballots,
    after_consents,
    after_count,
    after_initiation,
    after_meeting,
    after_report,
    after_round,
    to_everyone_alone,
    to_last_rankings,
    to_results,
    to_speaker,
)
from ..nodes.justice.round import meet, order, remember
from ..nodes.justice.speak import reason, speak
from ..nodes.justice.take_in import rank_last, reconvene, take_in_adoption, take_in_results
from ..nodes.justice.vote import amount, ballot, confirm, initiate
from ..nodes.justice.words import WORDS
from ..nodes.step import road
from ..state.deliberation import Deliberation
from ..state.justice import JusticeRules
from ..state.justice_state import Alone, Box, Course, Experiment, Paid, Talk, Thoughts, Unread
from ..state.justice_writes import JusticeInput, JusticeOutput
from .justice_alone import graph as phase1
from .wiring import Drawing, place


class Justice(Deliberation, Alone, Talk, Thoughts, Box, Course, Paid, Unread, Experiment):
    """What the experiment's state holds."""


def build() -> StateGraph[Justice, JusticeRules, JusticeInput, JusticeOutput]:
    """The experiment's drawing, not yet compiled: add a checkpointer of your own with `build().compile(...)`."""
    graph: StateGraph[Any, Any, Any, Any] = Drawing(
        Justice, JusticeRules, input_schema=JusticeInput, output_schema=JusticeOutput
    )
    place(graph, "convene", convene(WORDS))
    place(graph, "alone", PhaseAlone(phase1))
    place(graph, "meet", meet)
    place(graph, "order", order)
    place(graph, "reason", reason)
    place(graph, "speak", speak)
    place(graph, "remember", remember)
    place(graph, "initiate", initiate)
    place(graph, "confirm", confirm)
    place(graph, "heed", heed)
    place(graph, "ballot", ballot)
    place(graph, "collect", collect)
    place(graph, "amount", amount)
    place(graph, "tally", tally)
    place(graph, "report", report)
    place(graph, "take_in_adoption", take_in_adoption)
    place(graph, "pay", pay)
    place(graph, "take_in_results", take_in_results)
    place(graph, "reconvene", reconvene)
    place(graph, "rank_last", rank_last)
    place(graph, "conclude", conclude)

    onward: dict[Hashable, str] = {"next round": "order", "over": "pay"}
    turn: dict[Hashable, str] = {"think": "reason", "speak": "speak"}
    graph.add_edge(START, "convene")
    graph.add_conditional_edges("convene", road(to_everyone_alone), ["alone"])
    graph.add_edge("alone", "meet")
    graph.add_conditional_edges(
        "meet", road(after_meeting), {"discuss": "order", "imposed": "pay", "budget spent": "conclude"}
    )
    graph.add_conditional_edges("order", road(to_speaker), turn)
    graph.add_edge("reason", "speak")
    graph.add_conditional_edges("speak", road(to_speaker), {**turn, "round done": "remember"})
    graph.add_conditional_edges(
        "remember",
        road(after_round),
        {**onward, "vote?": "initiate", "confirm": "confirm", "budget spent": "conclude"},
    )
    graph.add_conditional_edges(
        "initiate",
        road(after_initiation),
        {"ask the next": "initiate", "confirm": "confirm", "no vote": "tally"},
    )
    graph.add_edge("confirm", "heed")
    graph.add_conditional_edges("heed", road(after_consents), {"refused": "tally", "ballot": "ballot"})
    graph.add_edge("ballot", "collect")
    graph.add_conditional_edges("collect", road(after_ballots), {"no amounts": "tally", "amount": "amount"})
    graph.add_edge("amount", "tally")
    graph.add_conditional_edges(
        "tally",
        road(after_count),
        {**onward, "no consensus": "report", "take_in_adoption": "take_in_adoption"},
    )
    graph.add_conditional_edges("report", road(after_report), onward)
    graph.add_edge("take_in_adoption", "pay")
    graph.add_conditional_edges("pay", road(to_results), ["take_in_results"])
    graph.add_edge("take_in_results", "reconvene")
    graph.add_conditional_edges("reconvene", road(to_last_rankings), ["rank_last"])
    graph.add_edge("rank_last", "conclude")
    graph.add_edge("conclude", END)
    return graph


graph = build().compile(name="justice")
