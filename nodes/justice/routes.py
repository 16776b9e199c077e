"""Routes of the experiment: functions of conditional edges. They only read the state."""

from collections.abc import Callable

from langgraph.types import Send

from ...state import TaskState, get_holder_index, list_consent_voters, list_names, mark_reads
from ...state.justice import (
    JusticeSettings,
    VoteRoutingState,
    find_initiator,
    get_ballot_number,
    is_confirmed,
    map_constrained_votes,
    select_answers,
)
from ..routes import send_to_all
from .addressee import get_participant


def route_to_phase1(state: TaskState, settings: JusticeSettings) -> list[Send]:
    """Route to the branches of Phase 1, one for each participant."""
    return send_to_all("alone", settings.ids)


def route_to_speaker(state: VoteRoutingState, settings: JusticeSettings) -> str:
    """Route to the participant who holds the floor or, after the last speaker, to the memories."""
    if not state["floor"]:
        return "round done"
    speaker = settings.participants[
        get_holder_index(state["floor"], [participant.name for participant in settings.participants])
    ]
    return "think" if speaker.reasoning_enabled and speaker.kind == "model" else "next speaker"


def route_after_initiation(state: VoteRoutingState, settings: JusticeSettings) -> str | list[Send]:
    """Route to the next participant, to the other participants' consent, or to the record of no vote."""
    initiator = find_initiator(state["answers"], state["round"])
    if initiator:
        return send_to_all(
            "confirm", list_consent_voters(list_names(state["participants"]), get_participant(settings, initiator).name)
        )
    answers = select_answers(state["answers"], state["round"], "initiation")
    return "ask the next" if len(answers) < len(settings.participants) else "no vote"


@mark_reads
def has_group_consent(state: VoteRoutingState, settings: JusticeSettings) -> bool:
    """Return whether enough participants consented to the vote of this round."""
    return is_confirmed(state["answers"], state["round"], settings.voting.decision_rule)


def route_after_ballots(state: VoteRoutingState, settings: JusticeSettings) -> str | list[Send]:
    """Route to the questions for an amount, one for each vote that needs it, or to the count."""
    votes = map_constrained_votes(state["answers"], state["round"])
    if not votes:
        return "no amounts"
    return [
        Send("amount", {"who": get_participant(settings, id).name, "number": get_ballot_number(principle)})
        for id, principle in votes.items()
    ]


def route_to_each(node: str) -> Callable[[TaskState], list[Send]]:
    """Build the route to a branch of `node` for each participant."""

    def route_to_each(state: TaskState) -> list[Send]:
        return send_to_all(node, list_names(state["participants"]))

    return route_to_each
