"""Which way a vote goes: to everyone's consent, to the ballot box, or back to the discussion."""

from collections.abc import Callable
from typing import Any

from langgraph.types import Send

from ...state.deliberation import Given
from ...state.ends import EndingRule
from ...state.requirements import reading
from ...state.statement import names
from ...state.voting import consenting
from ...state.voting.channels import Voting
from ..roads import to_all


class Polled(Given, Voting):
    """What a vote's roads read."""


def after_initiation(capped: EndingRule) -> Callable[..., str | list[Send]]:
    """From a proposed vote to the consent of all but its initiator, or on where none is held.

    Once `capped`, there is no going back to the discussion, and nobody is asked for consent.
    """

    def after_initiation(state: Polled) -> str | list[Send]:
        seats, poll = names(state["participants"]), state["polls"][-1]
        if poll.event == "not_held":
            return "not held"
        return to_all("cast", seats) if capped(state) else to_all("consent", consenting(seats, poll.initiator))

    return reading(after_initiation, capped)


def is_agreed(state: Voting) -> bool:
    """Whether everyone consented to the vote under way."""
    return state["polls"][-1].event == "confirmed"


def after_consents(agreed: Callable[[Any], bool], cast: str) -> Callable[..., str | list[Send]]:
    """From the consents to everyone's ballot, at the step `cast`, or back to the discussion."""

    def after_consents(state: Given) -> str | list[Send]:
        return to_all(cast, names(state["participants"])) if agreed(state) else "refused"

    return reading(after_consents, agreed)
