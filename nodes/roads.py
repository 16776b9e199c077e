"""Which way to go: conditional edges shared by protocols. They read and decide, and write nothing."""

from collections.abc import Callable, Sequence

from langgraph.types import Send

from ..state.deliberation import Given, Stage
from ..state.ends import EndingRule, judge_is_due
from ..state.requirements import reading
from ..state.rules import TalkRules


def after_turn(ending: EndingRule) -> Callable[..., str]:
    """From a turn to the next speaker, the next round, the judge, or the end that `ending` finds."""

    def after_turn(state: Stage, rules: TalkRules) -> str:
        if ending(state):
            return way_out(rules)
        if judge_is_due(state, rules):
            return "judge"
        return "next speaker" if state["floor"] else "round done"

    return reading(after_turn, ending)


def onward(ending: EndingRule) -> Callable[..., str]:
    """From a complete round to the next one, to a closing vote, or to the end."""

    def onward(state: Given, rules: TalkRules) -> str:
        return way_out(rules) if ending(state) else "next round"

    return reading(onward, ending)


def way_out(rules: TalkRules) -> str:
    """Where an ending leads: to a closing vote, where the run has one, or straight to the end."""
    return "vote" if rules.votes else "over"


def to_all(node: str, who: Sequence[str]) -> list[Send]:
    """A branch of `node` for each of `who`; a branch is sent a name and reads the rest from the channels."""
    return [Send(node, {"who": name}) for name in who]
