"""Which way a group goes: to its speakers, to the measure of convergence, to a vote."""

from collections.abc import Callable
from typing import Any

from langgraph.types import Send

from ...state.consensus import ConsensusRules
from ...state.consensus.channels import GroupStage
from ...state.deliberation import Floor, Given, Record, Remembering
from ...state.ends import EndingRule
from ...state.rules import Rules
from ...state.statement import names
from ...state.window import folds_next
from ..roads import way_out

FIRST_WEIGHED = 2
"""The first round after which convergence is measured."""


class Round(Given, Floor, Record, Remembering):
    """A round that is about to begin."""


def is_blind(rules: Rules, round: int) -> bool:
    """Whether nobody sees the others' statements of this round."""
    return isinstance(rules, ConsensusRules) and rules.blind_first_round and round == 1


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


def to_consent(capped: EndingRule) -> Callable[[Any], list[Send]]:
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
