"""The channels of a vote."""

from typing import Annotated

from typing_extensions import TypedDict

from ..deliberation import delta
from ..reducers import appending
from ..writes import Update
from .poll import CastBallot, Consent, Poll

gather_polls = appending(Poll)
gather_consents = appending(Consent)
gather_ballots = appending(CastBallot)


class Voting(TypedDict):
    """Votes: their course in public, their ballots in secret."""

    polls: Annotated[list[Poll], delta(gather_polls)]
    """Every step of every vote, as everyone may know it."""
    consents: Annotated[list[Consent], delta(gather_consents)]
    """Answers to the question whether to vote."""
    ballots: Annotated[list[CastBallot], delta(gather_ballots)]
    """The box: what each voter said, kept from every prompt."""


class VotingUpdate(Update, total=False):
    """What the steps of a vote write beside what all steps write."""

    polls: list[Poll]
    consents: list[Consent]
    ballots: list[CastBallot]
