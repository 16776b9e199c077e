"""Routes of a consensus dialogue: to the speakers, and on after their turns."""

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
    """Channels that the route after a draft reads."""


class RoundStartState(TaskState, FloorState, RecordState, MemoryState):
    """Channels that the route to a round's speakers reads."""


def route_to_speakers(state: RoundStartState, settings: BlindRoundSettings) -> str | list[Send]:
    """Route to the first speaker on the floor, or to all speakers in a blind round.

    If the view is full, route to its summary first.
    """
    if count_next_fold(settings, len(state["participants"]), len(state["history"]), state["summary"]):
        return "window full"
    if not settings.is_blind_round(state["round"]):
        return "speak"
    return [Send("speak", {"who": name, "seat": seat}) for seat, name in enumerate(state["floor"], start=1)]


def route_after_speaker(rule: StoppingRule) -> Callable[..., str]:
    """Build the route after a turn: to the next speaker, to the memories, or to the decision.

    It goes to the memories after a complete round. It goes to the decision if `rule` stops in mid-round.
    """

    after_turn = route_after_turn(rule)

    def route_after_speaker(state: FloorState, settings: BlindRoundSettings) -> str:
        return "round done" if settings.is_blind_round(state["round"]) else after_turn(state)

    return mark_reads(route_after_speaker, rule)


def route_after_draft(state: DraftRouteState) -> str | list[Send]:
    """Route from a draft to all participants' answers, or back to the decision if the draft failed."""
    has_draft = get_round_draft(state["drafts"], state["round"]) is not None
    return send_to_all("confirm", list_names(state["participants"])) if has_draft else "no draft"


def needs_vote(state: GroupClosingState) -> bool:
    """Return whether a vote follows the ending. An accepted shared position needs none."""
    return needs_closing_vote(state) and get_accepted_draft(state) is None
