"""Council: members answer a question blind, rank each other's answers unnamed, and a chairman writes the final one.

The rankings are counted by any rule of the ballot box; ties and circles are told as such.
"""

from typing import Any

from langgraph.graph import END, START

from ..nodes.convene import convene
from ..nodes.council import answer as answering
from ..nodes.council import conclude as closing
from ..nodes.council import review as reviewing
from ..nodes.council.answer import answer, to_members
from ..nodes.council.conclude import conclude
from ..nodes.council.count import count
from ..nodes.council.gather import gather, to_rankers
from ..nodes.council.members import members
from ..nodes.council.review import review
from ..nodes.order import order, seats
from ..prompts import Catalogue, catalogue
from ..state.contexts import knobs
from ..state.council.channels import CouncilResult, Reviewing
from ..state.council.ends import counted, unranked, won
from ..state.council.rules import CouncilRules
from ..state.deliberation import Deliberation, Judging
from ..state.ends import budget_spent, first_of, unpaid
from ..state.positions.channels import Positions
from ..state.writes import Input
from .wiring import Drawing, place

WORDS = catalogue(
    "council",
    system="topic language",
    answer=answering.FIELDS,
    review=reviewing.FIELDS,
    conclude=closing.FIELDS,
)
ENDING = first_of(won, unpaid("review"), counted, budget_spent, unranked)


class Council(Deliberation, Judging, Positions, Reviewing):
    """What a council's state holds."""


def build(*, words: Catalogue = WORDS) -> Drawing[knobs.CouncilContext | CouncilRules, knobs.CouncilInput]:
    """The council's drawing, not yet compiled: add a checkpointer of your own with `build().compile(...)`.

    `words` may be your own.
    """
    graph: Drawing[Any, Any] = Drawing(Council, CouncilRules, input_schema=Input, output_schema=CouncilResult)
    place(graph, "convene", convene(CouncilRules, members, words))
    place(graph, "order", order(seats))
    place(graph, "answer", answer(words))
    place(graph, "gather", gather)
    place(graph, "review", review(words))
    place(graph, "count", count)
    place(graph, "conclude", conclude(words, ENDING))

    graph.add_edge(START, "convene")
    graph.add_edge("convene", "order")
    graph.add_conditional_edges("order", to_members, ["answer"])
    graph.add_edge("answer", "gather")
    graph.add_conditional_edges("gather", to_rankers, {"review": "review", "nothing to rank": "conclude"})
    graph.add_edge("review", "count")
    graph.add_edge("count", "conclude")
    graph.add_edge("conclude", END)
    return graph


graph = build().compile(name="council")
