"""Conditional edges shared by protocols. They read the state and choose the next node."""

from collections.abc import Callable, Sequence

from langgraph.types import Send

from ..state.channel_requirements import mark_reads
from ..state.deliberation import ProgressState, TaskState
from ..state.settings import StoppingSettings
from ..state.stopping_rules import StoppingRule, needs_judge


def route_after_turn(rule: StoppingRule) -> Callable[..., str]:
    """Build the route from a turn to the next speaker, the next round, the judge, or the end."""

    def route_after_turn(state: ProgressState, settings: StoppingSettings) -> str:
        if rule(state):
            return route_to_end(settings)
        if needs_judge(state, settings):
            return "judge"
        return "next speaker" if state["floor"] else "round done"

    return mark_reads(route_after_turn, rule)


def route_after_round(rule: StoppingRule) -> Callable[..., str]:
    """Build the route from a complete round to the next one, to a closing vote, or to the end."""

    def route_after_round(state: TaskState, settings: StoppingSettings) -> str:
        return route_to_end(settings) if rule(state) else "next round"

    return mark_reads(route_after_round, rule)


def route_to_end(settings: StoppingSettings) -> str:
    """Return the route at an ending: to a closing vote if the run has one, else to the end."""
    return "vote" if settings.has_vote else "over"


def send_to_all(node: str, names: Sequence[str]) -> list[Send]:
    """Start a branch of `node` for each name.

    A branch receives the name and reads the rest from the channels.
    """
    return [Send(node, {"who": name}) for name in names]
