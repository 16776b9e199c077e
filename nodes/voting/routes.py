"""Routes of a vote: to the consents, to the ballots, or back to the discussion."""

from collections.abc import Callable
from typing import Any

from langgraph.types import Send

from ...state import StoppingRule, StoppingSettings, TaskState, VotingState, list_consent_voters, list_names, mark_reads
from ..routes import send_to_all


class VoteRouteState(TaskState, VotingState):
    """Channels that the routes of a vote read."""


def route_after_initiation(cap_rule: StoppingRule) -> Callable[..., str | list[Send]]:
    """Build the route from a proposed vote to the consents, or past the vote.

    If `cap_rule` finds an ending, the route leads directly to the ballots, because the discussion is over.
    """

    def route_after_initiation(state: VoteRouteState) -> str | list[Send]:
        seats, poll = list_names(state["participants"]), state["polls"][-1]
        if poll.event == "not_held":
            return "not held"
        return (
            send_to_all("cast_ballot", seats)
            if cap_rule(state)
            else send_to_all("consent", list_consent_voters(seats, poll.initiator))
        )

    return mark_reads(route_after_initiation, cap_rule)


@mark_reads
def needs_closing_vote(state: VotingState, settings: StoppingSettings) -> bool:
    """Return whether a closing vote follows an ending.

    The settings must ask for a vote, and the last poll must not have the event `not_held`.
    """
    return settings.has_vote and not (bool(state["polls"]) and state["polls"][-1].event == "not_held")


def has_full_consent(state: VotingState) -> bool:
    """Return whether the current vote is confirmed, because all asked participants consented."""
    return state["polls"][-1].event == "confirmed"


def route_after_consents(is_confirmed: Callable[[Any], bool], ballot_node: str) -> Callable[..., str | list[Send]]:
    """Build the route from the consents to `ballot_node` for all voters, or back to the discussion.

    `is_confirmed`: function that returns whether the vote takes place.
    """

    def route_after_consents(state: TaskState) -> str | list[Send]:
        return send_to_all(ballot_node, list_names(state["participants"])) if is_confirmed(state) else "refused"

    return mark_reads(route_after_consents, is_confirmed)
