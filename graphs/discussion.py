"""Discussion: a session that lives long; participants speak strictly in turn until someone closes it.

Participants are models, people and programs. The session waits for people; no model is asked out of turn.
"""

from collections.abc import Hashable
from typing import Any

from langgraph.graph import END, START

from ..nodes import condense as condensing
from ..nodes import statement as speech
from ..nodes.condense import condense
from ..nodes.convene import convene
from ..nodes.positions import take_position as declaring
from ..nodes.positions.roads import asking, laps_spoken
from ..nodes.positions.take_position import take_position
from ..nodes.positions.take_stock import take_stock
from ..nodes.session.adjourn import adjourn, by_status, laps_capped
from ..nodes.session.hear import hear
from ..nodes.session.invite import after_invitation, await_answers, begin, invite
from ..nodes.session.roads import next_in_session
from ..nodes.session.seats import around_the_table
from ..nodes.session.take_turn import take_turn
from ..prompts import Catalogue, catalogue
from ..state.contexts import knobs
from ..state.deliberation import Deliberation, Judging
from ..state.discussion import DiscussionRules
from ..state.ends import EndingRule, all_absent, budget_spent, first_of, turns_capped
from ..state.positions.channels import Positions
from ..state.positions.ends import calibrated, declared, sequential
from ..state.session.channels import SessionResult, Sitting
from ..state.writes import Input
from .wiring import Drawing, place

WORDS = catalogue(
    "discussion",
    system="topic participants words language",
    open=speech.FIELDS,
    speak=speech.FIELDS,
    position=declaring.FIELDS,
    summarize=condensing.FIELDS,
)
ENDING = first_of(by_status, all_absent, declared, sequential, calibrated, turns_capped, laps_capped, budget_spent)


class Discussion(Deliberation, Judging, Sitting, Positions):
    """What a session's state holds."""


def build(
    *, ending: EndingRule = ENDING, words: Catalogue = WORDS
) -> Drawing[knobs.DiscussionContext | DiscussionRules, knobs.DiscussionInput]:
    """The session's drawing, not yet compiled: people need a checkpointer, `build().compile(checkpointer=...)`.

    `ending` and `words` may be your own; the order is the rotation. Raises `Refused` for an ending that reads what a
    session does not carry.
    """
    graph: Drawing[Any, Any] = Drawing(Discussion, DiscussionRules, input_schema=Input, output_schema=SessionResult)
    place(graph, "convene", convene(DiscussionRules, around_the_table, words))
    place(graph, "invite", invite)
    place(graph, "await_answers", await_answers)
    place(graph, "begin", begin)
    place(graph, "take_turn", take_turn(words))
    place(graph, "hear", hear)
    place(graph, "condense", condense(words))
    place(graph, "take_position", take_position(words))
    place(graph, "take_stock", take_stock)
    place(graph, "adjourn", adjourn(ending))

    answers: dict[Hashable, str] = {"waiting": "await_answers", "all answered": "begin", "declined": "adjourn"}
    turns: dict[Hashable, str] = {
        "a model's turn": "take_turn",
        "waiting": "hear",
        "window full": "condense",
        "over": "adjourn",
    }
    asked: dict[Hashable, str] = {**turns, "take_position": "take_position"}
    turn = asking(next_in_session(ending), at=["a model's turn", "waiting"], over=["over"], rounds=laps_spoken)
    graph.add_edge(START, "convene")
    graph.add_edge("convene", "invite")
    graph.add_conditional_edges("invite", after_invitation, answers)
    graph.add_conditional_edges("await_answers", after_invitation, answers)
    graph.add_conditional_edges("begin", turn, asked)
    graph.add_conditional_edges("take_turn", turn, asked)
    graph.add_conditional_edges("hear", turn, asked)
    graph.add_conditional_edges("condense", turn, asked)
    graph.add_edge("take_position", "take_stock")
    graph.add_conditional_edges("take_stock", turn, turns)
    graph.add_edge("adjourn", END)
    return graph


graph = build().compile(name="discussion")
