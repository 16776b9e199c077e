"""Routes of a group: to its speakers, and to the measure of agreement."""

from collections.abc import Callable

from langgraph.types import Send

from ...state.channel_requirements import mark_reads
from ...state.consensus import ConvergenceSettings
from ...state.deliberation import FloorState, MemoryState, RecordState, TaskState
from ...state.settings import BlindRoundSettings
from ...state.statement import list_names
from ...state.stopping_rules import StoppingRule
from ...state.window import count_next_fold
from ..routes import route_to_end, send_to_all

FIRST_MEASURED_ROUND = 2
"""First round after which agreement is measured."""


class RoundStartState(TaskState, FloorState, RecordState, MemoryState):
    """State of a round that is about to begin."""


class RoundEndState(TaskState, FloorState):
    """State of a round that is over."""


def route_to_speakers(speaker_node: str, blind_node: str) -> Callable[..., str | list[Send]]:
    """Build the route from a filled floor to its first speaker, or to all speakers of a blind round.

    A full sliding view is summarized first.
    """

    def route_to_speakers(state: RoundStartState, settings: BlindRoundSettings) -> str | list[Send]:
        if count_next_fold(settings, len(state["participants"]), len(state["history"]), state["summary"]):
            return "condense"
        if not settings.blind_first_round or state["round"] > 1:
            return speaker_node
        return [Send(blind_node, {"who": name, "seat": seat}) for seat, name in enumerate(state["floor"], start=1)]

    return route_to_speakers


def route_to_measure(rule: StoppingRule) -> Callable[..., str | list[Send]]:
    """Build the route from a remembered round to the measure of agreement.

    The first round leads to the next one instead.
    """

    def route_to_measure(state: RoundEndState, settings: ConvergenceSettings) -> str | list[Send]:
        if state["round"] < FIRST_MEASURED_ROUND:
            return route_to_end(settings) if rule(state) else "next round"
        if settings.convergence == "declared":
            return send_to_all("declare", list_names(state["participants"]))
        return "measure"

    return mark_reads(route_to_measure, rule)
