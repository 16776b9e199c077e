"""Which way to go: conditional edges shared by protocols. They read and decide, and write nothing."""

from collections.abc import Callable

from ..state.deliberation import Stage
from ..state.ends import EndingRule, judge_is_due


def after_turn(ending: EndingRule) -> Callable[[Stage], str]:
    """From a turn to the next speaker, the next round, the judge, or the end that `ending` finds."""

    def after_turn(state: Stage) -> str:
        if ending(state):
            return "over"
        if judge_is_due(state):
            return "judge"
        return "next speaker" if state["floor"] else "round done"

    return after_turn
