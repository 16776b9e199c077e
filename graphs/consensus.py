"""Consensus: three or more look for common ground; what they agree on is measured, and dissent is kept.

Opening views are given blind. After each complete round everyone remembers it and says where it stands.
"""

from collections.abc import Hashable
from typing import Any

from langgraph.graph import END, START

from ..nodes import condense as condensing
from ..nodes import statement as speech
from ..nodes.condense import condense
from ..nodes.consensus import common_ground as closing
from ..nodes.consensus import declare as declaring
from ..nodes.consensus.common_ground import common_ground
from ..nodes.consensus.declare import declare
from ..nodes.consensus.positions import positions_on_the_table
from ..nodes.consensus.roads import after_round, to_speakers
from ..nodes.consensus.weigh import weigh
from ..nodes.convene import convene
from ..nodes.order import Order, by_turn_order
from ..nodes.order import order as open_round
from ..nodes.positions import take_position as declaring_alone
from ..nodes.positions.roads import asking, begun, once_asked
from ..nodes.positions.take_position import take_position
from ..nodes.positions.take_stock import take_stock
from ..nodes.remember import remember
from ..nodes.roads import after_turn, onward
from ..nodes.seats import group
from ..nodes.speak import speak, speak_unheard
from ..nodes.voting import vote as voting
from ..prompts import Catalogue, catalogue
from ..state.consensus import ConsensusRules
from ..state.consensus.channels import Converging, GroupResult
from ..state.consensus.ends import agreed, calibrated_agreement, unmoved
from ..state.contexts import knobs
from ..state.deliberation import Deliberation, Judging
from ..state.ends import (
    EndingRule,
    all_absent,
    budget_spent,
    first_of,
    out_of_turns,
    rounds_capped,
    talked_out,
    turns_capped,
)
from ..state.positions.channels import Positions
from ..state.positions.ends import calibrated, sequential
from ..state.voting.channels import Voting
from ..state.voting.ends import by_vote
from ..state.writes import Input
from .voting import add_vote
from .wiring import Drawing, place

WORDS = catalogue(
    "consensus",
    system="topic participants words language",
    open=speech.FIELDS,
    speak=speech.FIELDS,
    declare=declaring.FIELDS,
    position=declaring_alone.FIELDS,
    weigh="language",
    consent=voting.CONSENT_FIELDS,
    ballot=voting.BALLOT_FIELDS,
    summarize=condensing.FIELDS,
    synthesize=closing.FIELDS,
)
MID_ROUND = first_of(all_absent, out_of_turns, budget_spent)
ENDING = first_of(
    by_vote,
    all_absent,
    agreed,
    talked_out,
    sequential,
    calibrated,
    calibrated_agreement,
    unmoved,
    rounds_capped,
    turns_capped,
    budget_spent,
)
CAPPED = first_of(rounds_capped, turns_capped)
UNHELD = first_of(all_absent, budget_spent)

SPEAKERS = ["speak", "speak_unheard", "condense"]
OVER: dict[Hashable, str] = {"vote": "initiate", "over": "synthesize"}
ASKED: dict[Hashable, str] = {"take_position": "take_position"}
ONWARD: dict[Hashable, str] = {"next round": "order", **OVER}
TURN: dict[Hashable, str] = {"next speaker": "speak", "round done": "remember", **OVER, **ASKED}
ROUND: dict[Hashable, str] = {**ONWARD, **ASKED, "declare": "declare", "measure": "weigh"}


class Consensus(Deliberation, Judging, Positions, Converging, Voting):
    """What a consensus dialogue's state holds."""


def build(
    *, ending: EndingRule = ENDING, words: Catalogue = WORDS, order: Order = by_turn_order
) -> Drawing[knobs.ConsensusContext | ConsensusRules, knobs.ConsensusInput]:
    """The dialogue's drawing, not yet compiled: add a checkpointer of your own with `build().compile(...)`.

    `ending` (looked for after complete rounds), `words` and `order` may be your own. Raises `Refused` for one that
    reads what a dialogue does not carry.
    """
    graph: Drawing[Any, Any] = Drawing(Consensus, ConsensusRules, input_schema=Input, output_schema=GroupResult)
    place(graph, "convene", convene(ConsensusRules, group, words))
    place(graph, "order", open_round(order))
    place(graph, "condense", condense(words))
    place(graph, "speak", speak(words))
    place(graph, "speak_unheard", speak_unheard(words))
    place(graph, "remember", remember())
    place(graph, "declare", declare(words))
    place(graph, "weigh", weigh(words))
    place(graph, "take_position", take_position(words))
    place(graph, "take_stock", take_stock)
    add_vote(graph, words, positions_on_the_table, CAPPED, UNHELD)
    place(graph, "synthesize", common_ground(words, ending))

    between, last = ["next round"], ["vote", "over"]
    weighed = asking(onward(ending), at=between, over=last)
    graph.add_edge(START, "convene")
    graph.add_conditional_edges("convene", asking(begun, at=["begin"]), {"begin": "order", **ASKED})
    graph.add_conditional_edges("order", to_speakers("speak", "speak_unheard"), SPEAKERS)
    graph.add_conditional_edges("condense", to_speakers("speak", "speak_unheard"), SPEAKERS)
    graph.add_conditional_edges("speak", asking(after_turn(MID_ROUND), over=last), TURN)
    graph.add_edge("speak_unheard", "remember")
    graph.add_conditional_edges("remember", asking(after_round(ending), at=between, over=last), ROUND)
    graph.add_edge("declare", "weigh")
    graph.add_conditional_edges("weigh", weighed, {**ONWARD, **ASKED})
    graph.add_edge("take_position", "take_stock")
    graph.add_conditional_edges("take_stock", once_asked(weighed, "next round"), ONWARD)
    graph.add_edge("synthesize", END)
    return graph


graph = build().compile(name="consensus")
