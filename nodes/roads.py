"""Which way to go: conditional edges shared by protocols. They read and decide, and write nothing."""

from collections.abc import Callable
from typing import Any, TypeVar

from ..state.ending import Ending
from ..state.ends import UNAVAILABLE, EndingRule, judge_is_due
from ..state.rules import Rules, TalkRules
from .step import reads

T = TypeVar("T")

UNVOTED = (UNAVAILABLE, "budget_spent")
"""Endings after which no vote is held."""


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
    votes = isinstance(rules, TalkRules) and rules.votes
    return "vote" if votes and found.reason not in UNVOTED else "over"


def reading(like: Callable[[Any], object], choose: Callable[[Any], T]) -> Callable[[Any], T]:
    """`choose`, annotated with the group of channels that `like` reads."""
    choose.__annotations__["state"] = reads(like)
    return choose
