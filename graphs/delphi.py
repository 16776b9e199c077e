"""Delphi: experts estimate blind, are told the group's figures and the reasons of those apart, and may revise.

Nobody learns whose an estimate or a reason is. It ends when the estimates are near each other or no longer move.
"""

from typing import Any

from langgraph.graph import END, START

from ..nodes.convene import convene
from ..nodes.delphi import estimate as estimating
from ..nodes.delphi.conclude import conclude
from ..nodes.delphi.estimate import estimate, to_experts
from ..nodes.delphi.feed_back import feed_back
from ..nodes.delphi.seats import estimators
from ..nodes.order import order, seats
from ..nodes.roads import onward
from ..prompts import Catalogue, catalogue
from ..state.contexts import knobs
from ..state.deliberation import Deliberation, Judging
from ..state.delphi import DelphiRules
from ..state.delphi.channels import DelphiResult, Estimating
from ..state.delphi.ends import agreed, converged, ended_short, round_unpaid, settled
from ..state.ends import EndingRule, all_absent, budget_spent, first_of, rounds_capped, unpaid
from ..state.positions.channels import Positions
from ..state.writes import Input
from .wiring import Drawing, place

WORDS = catalogue("delphi", system="topic words language", estimate=estimating.FIELDS)
CLOSE = first_of(agreed, converged, settled)
ENDING = first_of(all_absent, CLOSE, unpaid("estimate"), ended_short, rounds_capped, budget_spent, round_unpaid)


class Delphi(Deliberation, Judging, Positions, Estimating):
    """What a Delphi's state holds."""


def build(
    *, ending: EndingRule = ENDING, words: Catalogue = WORDS
) -> Drawing[knobs.DelphiContext | DelphiRules, knobs.DelphiInput]:
    """The drawing of a Delphi, not yet compiled: add a checkpointer of your own with `build().compile(...)`.

    `ending` (looked for after each round) and `words` may be your own. Raises `Refused` for an ending that reads what
    a Delphi does not carry.
    """
    graph: Drawing[Any, Any] = Drawing(Delphi, DelphiRules, input_schema=Input, output_schema=DelphiResult)
    place(graph, "convene", convene(DelphiRules, estimators, words))
    place(graph, "order", order(seats))
    place(graph, "estimate", estimate(words))
    place(graph, "feed_back", feed_back)
    place(graph, "conclude", conclude(ending))

    graph.add_edge(START, "convene")
    graph.add_edge("convene", "order")
    graph.add_conditional_edges("order", to_experts, ["estimate"])
    graph.add_edge("estimate", "feed_back")
    graph.add_conditional_edges("feed_back", onward(ending), {"next round": "order", "over": "conclude"})
    graph.add_edge("conclude", END)
    return graph


graph = build().compile(name="delphi")
