"""Jury: jurors vote in secret, discuss, and vote again after each round, until a verdict or a deadlock.

After each ballot everyone learns the count, and nobody who voted how.
"""

from collections.abc import Hashable
from typing import Any

from langgraph.graph import END, START

from ..nodes import statement as speech
from ..nodes.convene import convene
from ..nodes.jury.conclude import conclude
from ..nodes.jury.count_ballots import count_ballots, to_the_ballot
from ..nodes.jury.seats import findings, jurors
from ..nodes.order import Order, by_turn_order
from ..nodes.order import order as open_round
from ..nodes.remember import remember
from ..nodes.roads import after_turn, onward
from ..nodes.speak import speak
from ..nodes.voting import vote as voting
from ..nodes.voting.vote import cast, initiate
from ..prompts import Catalogue, catalogue
from ..state.contexts import knobs
from ..state.deliberation import Deliberation, Judging
from ..state.ends import EndingRule, all_absent, budget_spent, first_of, out_of_turns, unpaid
from ..state.jury import JuryRules
from ..state.jury.channels import JuryResult
from ..state.jury.ends import abandoned, capped, unmoved, unvoted, verdict_reached
from ..state.positions.channels import Positions
from ..state.voting.channels import Voting
from ..state.writes import Input
from .wiring import Drawing, place

WORDS = catalogue(
    "jury",
    system="topic participants words language",
    open=speech.FIELDS,
    speak=speech.FIELDS,
    ballot=voting.BALLOT_FIELDS,
)
MID_ROUND = first_of(all_absent, out_of_turns, budget_spent)
UNHELD = first_of(all_absent, budget_spent)
ENDING = first_of(verdict_reached, unpaid("ballot"), unvoted, abandoned, unmoved, capped, budget_spent)


class Jury(Deliberation, Judging, Positions, Voting):
    """What a jury's state holds."""


def build(
    *, ending: EndingRule = ENDING, words: Catalogue = WORDS, order: Order = by_turn_order
) -> Drawing[knobs.JuryContext | JuryRules, knobs.JuryInput]:
    """The jury's drawing, not yet compiled: add a checkpointer of your own with `build().compile(...)`.

    `ending` (looked for after each ballot), `words` and `order` may be your own. Raises `Refused` for one that reads
    what a jury does not carry.
    """
    graph: Drawing[Any, Any] = Drawing(Jury, JuryRules, input_schema=Input, output_schema=JuryResult)
    place(graph, "convene", convene(JuryRules, jurors, words))
    place(graph, "initiate", initiate(findings, UNHELD))
    place(graph, "cast", cast(words))
    place(graph, "count_ballots", count_ballots)
    place(graph, "order", open_round(order))
    place(graph, "speak", speak(words))
    place(graph, "remember", remember())
    place(graph, "conclude", conclude(ending))

    ballot: dict[Hashable, str] = {"cast": "cast", "not held": "conclude"}
    graph.add_edge(START, "convene")
    graph.add_edge("convene", "initiate")
    graph.add_conditional_edges("initiate", to_the_ballot, ballot)
    graph.add_edge("cast", "count_ballots")
    graph.add_conditional_edges("count_ballots", onward(ending), {"next round": "order", "over": "conclude"})
    graph.add_edge("order", "speak")
    turn: dict[Hashable, str] = {"next speaker": "speak", "round done": "remember", "over": "initiate"}
    graph.add_conditional_edges("speak", after_turn(MID_ROUND), turn)
    graph.add_edge("remember", "initiate")
    graph.add_edge("conclude", END)
    return graph


graph = build().compile(name="jury")
