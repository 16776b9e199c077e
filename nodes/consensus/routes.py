"""Routes of a group: to its speakers, and on from their turns."""

from collections.abc import Callable

from langgraph.types import Send

from ...state.channel_requirements import mark_reads
from ...state.consensus import get_round_draft
from ...state.consensus.channels import ConvergenceState, GroupClosingState
from ...state.consensus.stopping_rules import get_accepted_draft
from ...state.deliberation import FloorState, MemoryState, RecordState, TaskState
from ...state.settings import BlindRoundSettings
from ...state.statement import list_names
from ...state.stopping_rules import StoppingRule
from ...state.window import count_next_fold
from ..routes import route_after_turn, send_to_all
from ..voting.routes import needs_closing_vote


class DraftRouteState(TaskState, FloorState, ConvergenceState):
    """State after a draft of the common ground."""


class RoundStartState(TaskState, FloorState, RecordState, MemoryState):
    """State of a round that is about to begin."""


def route_to_speakers(state: RoundStartState, settings: BlindRoundSettings) -> str | list[Send]:
    """Route from a filled floor to its first speaker, or to all speakers of a blind round.

    A full sliding view is summarized first.
    """
    if count_next_fold(settings, len(state["participants"]), len(state["history"]), state["summary"]):
        return "window full"
    if not settings.is_blind_round(state["round"]):
        return "speak"
    return [Send("speak", {"who": name, "seat": seat}) for seat, name in enumerate(state["floor"], start=1)]


def route_after_speaker(rule: StoppingRule) -> Callable[..., str]:
    """Build the route from a turn to the next speaker, to the memories of a complete round, or to the decision.

    `rule` stops in the middle of a round.
    """

    after_turn = route_after_turn(rule)

    def route_after_speaker(state: FloorState, settings: BlindRoundSettings) -> str:
        return "round done" if settings.is_blind_round(state["round"]) else after_turn(state)

    return mark_reads(route_after_speaker, rule)


def route_after_draft(state: DraftRouteState) -> str | list[Send]:
    """Route from a draft to everyone's answer, or back to the decision if there is no draft."""
    has_draft = get_round_draft(state["drafts"], state["round"]) is not None
    return send_to_all("confirm", list_names(state["participants"])) if has_draft else "no draft"


def needs_vote(state: GroupClosingState) -> bool:
    """Return whether an ending leads to a vote; an accepted common ground needs none."""
    return needs_closing_vote(state) and get_accepted_draft(state) is None
