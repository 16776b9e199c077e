"""Routes of a consensus dialogue, and the questions and the vote that come before an ending."""

from collections.abc import Callable

from langgraph.types import Send

from ...state import (
    SYNTHESIZER,
    BlindRoundSettings,
    Branch,
    FloorState,
    MemoryState,
    RecordState,
    StoppingRule,
    TaskState,
    count_leaving_statements,
    mark_reads,
)
from ...state.consensus import GroupClosingState, find_accepted_draft, is_draft_due
from ..positions.due_positions import make_position_lister
from ..routes import route_after_turn, send_to_floor
from ..voting.routes import needs_closing_vote


class RoundStartState(TaskState, FloorState, RecordState, MemoryState):
    """Channels of the route to the speakers of a round."""


def route_to_speakers(state: RoundStartState, settings: BlindRoundSettings) -> str | list[Send]:
    """Route to the speaker whose turn it is, or to all speakers in a blind round.

    If the history exceeds the view's limit, route to the node that summarizes it first.
    """
    if count_leaving_statements(settings, len(state["participants"]), len(state["history"]), state["summary"]):
        return "window full"
    if not settings.is_blind_round(state["round"]):
        return "speak"
    return send_to_floor("speak", state["floor"])


def route_after_speaker(rule: StoppingRule) -> Callable[..., str]:
    """Build the route after a turn: to the next speaker, to the memories, or to the decision.

    After a complete or blind round, the route leads to the memories. In mid-round, it leads to the next speaker or, if
    `rule` finds an ending, to the decision.
    """

    after_turn = route_after_turn(rule)

    def route_after_speaker(state: FloorState, settings: BlindRoundSettings) -> str:
        return "round done" if settings.is_blind_round(state["round"]) else after_turn(state)

    return mark_reads(route_after_speaker, rule)


_list_due_positions = make_position_lister()


def list_due_questions(state: GroupClosingState) -> list[Branch]:
    """Return the next questions: about a draft if the group agrees, and otherwise about positions."""
    return [Branch(node="draft", who=SYNTHESIZER)] if is_draft_due(state) else _list_due_positions(state)


def needs_vote(state: GroupClosingState) -> bool:
    """Return whether a vote follows the ending. After an accepted shared position, no vote is needed."""
    return needs_closing_vote(state) and find_accepted_draft(state) is None
