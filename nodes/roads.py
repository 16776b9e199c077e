"""Which way to go: conditional edges shared by protocols. They read and decide, and write nothing."""

from collections.abc import Callable
from typing import Any, TypeVar

from langgraph.types import Send

from ..state.consensus import ConsensusRules
from ..state.deliberation import Floor, Given, Record, Remembering
from ..state.ending import Ending
from ..state.ends import EndingRule, judge_is_due
from ..state.group_state import GroupStage
from ..state.rules import Rules
from ..state.session_state import SessionStage
from ..state.statement import names
from ..state.window import folds_next
from .step import reads

T = TypeVar("T")


FIRST_WEIGHED = 2
"""The first round after which convergence is measured."""
UNVOTED = ("participants_unavailable", "budget_spent")
"""Endings after which no vote is held."""


class Round(Given, Floor, Record, Remembering):
    """A round that is about to begin."""


def is_blind(rules: Rules, round: int) -> bool:
    """Whether nobody sees the others' statements of this round."""
    return isinstance(rules, ConsensusRules) and rules.blind_first_round and round == 1


def after_turn(ending: EndingRule) -> Callable[[Any], str]:
    """From a turn to the next speaker, the next round, the judge, or the end that `ending` finds."""

    def after_turn(state: Any) -> str:
        if found := ending(state):
            return way_out(state["rules"], found)
        if judge_is_due(state):
            return "judge"
        return "next speaker" if state["floor"] else "round done"

    return reading(ending, after_turn)


def way_out(rules: Rules, found: Ending) -> str:
    """Where an ending leads: to a closing vote, where there is one to hold, or straight to the end."""
    votes = isinstance(rules, ConsensusRules) and rules.vote != "off"
    return "vote" if votes and found.reason not in UNVOTED else "over"


def to_speakers(one: str, all_at_once: str) -> Callable[[Round], str | list[Send]]:
    """From a filled floor to its first speaker, or, in a blind round, to everyone on it at the same time.

    A sliding view that is full is folded first.
    """

    def to_speakers(state: Round) -> str | list[Send]:
        if folds_next(state["rules"], len(state["participants"]), len(state["history"]), state["summary"]):
            return "condense"
        if not is_blind(state["rules"], state["round"]):
            return one
        return [Send(all_at_once, {"who": name, "seat": seat}) for seat, name in enumerate(state["floor"], start=1)]

    return to_speakers


def after_round(ending: EndingRule) -> Callable[[Any], str | list[Send]]:
    """From a remembered round to the measure of convergence, or on to the next round while it is too early."""

    def after_round(state: GroupStage) -> str | list[Send]:
        if state["round"] < FIRST_WEIGHED:
            found = ending(state)
            return way_out(state["rules"], found) if found else "next round"
        rules = state["rules"]
        if isinstance(rules, ConsensusRules) and rules.convergence == "declared":
            return to_all("declare", names(state["participants"]))
        return "measure"

    return after_round


def after_weighing(ending: EndingRule) -> Callable[[Any], str]:
    """From the measure to the next round, to a closing vote, or to the end."""

    def after_weighing(state: GroupStage) -> str:
        found = ending(state)
        return way_out(state["rules"], found) if found else "next round"

    return after_weighing


def to_consent(capped: EndingRule) -> Callable[[Any], str | list[Send]]:
    """From a proposed vote to everyone's consent; once `capped`, there is no going back, and none is asked."""

    def to_consent(state: GroupStage) -> list[Send]:
        seats = names(state["participants"])
        if capped(state):
            return to_all("cast", seats)
        return to_all("consent", [name for name in seats if name != state["polls"][-1].initiator])

    return to_consent


def after_consent(state: GroupStage) -> str | list[Send]:
    """From the consents to the ballot box, or back to the discussion."""
    if state["polls"][-1].event == "confirmation_failed":
        return "refused"
    return to_all("cast", names(state["participants"]))


def to_all(node: str, who: list[str]) -> list[Send]:
    """A branch of `node` for each of `who`; a branch is sent a name and reads the rest from the channels."""
    return [Send(node, {"who": name}) for name in who]


def next_in_session(ending: EndingRule) -> Callable[[SessionStage], str]:
    """From a turn to the next one: a model speaks, a person or program is waited for, the window slides, or it ends."""

    def next_in_session(state: SessionStage) -> str:
        if ending(state):
            return "over"
        if folds_next(state["rules"], len(state["participants"]), len(state["history"]), state["summary"]):
            return "window full"
        expected = {one.name: one.kind for one in state["participants"]}
        return "a model's turn" if state["floor"] and expected[state["floor"][0]] == "model" else "waiting"

    return next_in_session


def reading(like: Callable[[Any], object], choose: Callable[[Any], T]) -> Callable[[Any], T]:
    """`choose`, annotated with the group of channels that `like` reads."""
    choose.__annotations__["state"] = reads(like)
    return choose
