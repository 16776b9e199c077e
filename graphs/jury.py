"""Jury: jurors vote in secret, discuss, and vote after each round, until a verdict or a deadlock.

After each ballot, all jurors learn the count. Single votes stay secret.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from langgraph.graph import END, START

from ..nodes import statement as statement_node
from ..nodes.convene import convene
from ..nodes.decide import decide, route_by_decision
from ..nodes.fill_floor import TurnOrder, fill_floor, order_by_setting
from ..nodes.jury.count_ballots import count_ballots, route_to_ballot
from ..nodes.jury.report_verdict import report_verdict
from ..nodes.jury.seats import map_verdicts, seat_jurors
from ..nodes.remember import remember
from ..nodes.routes import route_after_turn
from ..nodes.speak import speak
from ..nodes.voting import vote as vote_node
from ..nodes.voting.vote import cast_ballot, initiate
from ..prompts import Templates, load_templates
from ..state import DeliberationInput, DeliberationState, EndingKinds, JudgeState, stop_if_all_absent
from ..state.jury import (
    JuryResult,
    JurySettings,
    stop_at_jury_cap,
    stop_if_abandoned,
    stop_on_deadlock,
    stop_on_few_votes,
    stop_on_verdict,
)
from ..state.positions.channels import PositionRecordState
from ..state.stopping.rules import StoppingRule, make_budget_denial_rule, stop_at_budget, stop_mid_round, stop_on_first
from ..state.voting.channels import VotingState
from .protocol_graph import ProtocolGraph, add_node

if TYPE_CHECKING:
    from ..state.contexts import arguments

TEMPLATES = load_templates(
    "jury",
    system="topic participants words language",
    open=statement_node.STATEMENT_FIELDS,
    speak=statement_node.STATEMENT_FIELDS,
    ballot=vote_node.BALLOT_FIELDS,
)
MID_ROUND_RULE = stop_on_first(stop_if_all_absent, stop_mid_round, stop_at_budget)
VOTE_PREVENTION_RULE = stop_on_first(stop_if_all_absent, stop_at_budget)
STOPPING_RULE = stop_on_first(
    stop_on_verdict,
    make_budget_denial_rule("ballot"),
    stop_on_few_votes,
    stop_if_abandoned,
    stop_on_deadlock,
    stop_at_jury_cap,
    stop_at_budget,
)


ENDINGS: EndingKinds = {"verdict": ("verdict_reached",), "deadlock": ("jury_deadlocked",), "halt": ()}
"""Kinds of endings. `halt`: the budget is spent, jurors are unavailable, or a custom rule stops the jury."""


class JuryGraphState(DeliberationState, JudgeState, PositionRecordState, VotingState):
    """Channels of the jury graph."""


def build(
    *,
    stopping_rule: StoppingRule = STOPPING_RULE,
    templates: Templates = TEMPLATES,
    turn_order: TurnOrder = order_by_setting,
) -> "ProtocolGraph[arguments.JuryContext | JurySettings, arguments.JuryInput]":
    """Build the uncompiled graph. To add a checkpointer, use `build().compile(checkpointer=...)`.

    You can pass your own `stopping_rule` (checked after each ballot), `templates` and `turn_order`. Raises `InputError`
    if the stopping rule or turn order reads a channel or setting that this graph lacks.
    """
    graph: ProtocolGraph[Any, Any] = ProtocolGraph(
        JuryGraphState, JurySettings, input_schema=DeliberationInput, output_schema=JuryResult
    )
    add_node(graph, "convene", convene(JurySettings, seat_jurors, templates))
    add_node(graph, "initiate", initiate(map_verdicts, VOTE_PREVENTION_RULE), "ballot")
    add_node(graph, "cast_ballot", cast_ballot(templates), "ballot")
    add_node(graph, "decide", decide(stopping_rule, ENDINGS, measure=count_ballots, opening_rule=stopping_rule))
    add_node(graph, "order", fill_floor(turn_order), "speak")
    add_node(graph, "speak", speak(templates))
    add_node(graph, "remember", remember())
    add_node(graph, "verdict", report_verdict, "ending")
    add_node(graph, "deadlock", report_verdict, "ending")
    add_node(graph, "halt", report_verdict, "ending")

    ballots: dict[Hashable, str] = {"cast_ballot": "cast_ballot", "not held": "decide"}
    turns: dict[Hashable, str] = {"next speaker": "speak", "round done": "remember", "last ballot": "initiate"}
    endings: dict[Hashable, str] = {"verdict": "verdict", "deadlock": "deadlock", "halt": "halt"}
    graph.add_edge(START, "convene")
    graph.add_edge("convene", "initiate")
    graph.add_conditional_edges("initiate", route_to_ballot, ballots)
    graph.add_edge("cast_ballot", "decide")
    graph.add_conditional_edges("decide", route_by_decision, {"next round": "order", **endings})
    graph.add_edge("order", "speak")
    graph.add_conditional_edges("speak", route_after_turn(MID_ROUND_RULE, "last ballot"), turns)
    graph.add_edge("remember", "initiate")
    graph.add_edge("verdict", END)
    graph.add_edge("deadlock", END)
    graph.add_edge("halt", END)
    return graph


graph = build().compile(name="jury")
