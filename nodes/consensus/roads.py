"""Which way a group goes: to its speakers, to the measure of convergence."""

from collections.abc import Callable

from langgraph.types import Send

from ...state.consensus import ConvergenceRules
from ...state.deliberation import Floor, Given, Record, Remembering
from ...state.ends import EndingRule
from ...state.requirements import reading
from ...state.rules import BlindRules
from ...state.statement import names
from ...state.window import folds_next
from ..roads import to_all, way_out

FIRST_WEIGHED = 2
"""The first round after which convergence is measured."""


class Round(Given, Floor, Record, Remembering):
    """A round that is about to begin."""


class Weighed(Given, Floor):
    """A round that is over."""


def to_speakers(one: str, all_at_once: str) -> Callable[..., str | list[Send]]:
    """From a filled floor to its first speaker, or, in a blind round, to everyone on it at the same time.

    A sliding view that is full is folded first.
    """

    def to_speakers(state: Round, rules: BlindRules) -> str | list[Send]:
        if folds_next(rules, len(state["participants"]), len(state["history"]), state["summary"]):
            return "condense"
        if not rules.blind_first_round or state["round"] > 1:
            return one
        return [Send(all_at_once, {"who": name, "seat": seat}) for seat, name in enumerate(state["floor"], start=1)]

    return to_speakers


def after_round(ending: EndingRule) -> Callable[..., str | list[Send]]:
    """From a remembered round to the measure of convergence, or on to the next round while it is too early."""

    def after_round(state: Weighed, rules: ConvergenceRules) -> str | list[Send]:
        if state["round"] < FIRST_WEIGHED:
            return way_out(rules) if ending(state) else "next round"
        if rules.convergence == "declared":
            return to_all("declare", names(state["participants"]))
        return "measure"

    return reading(after_round, ending)
