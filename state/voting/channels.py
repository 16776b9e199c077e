"""Channels of a vote: its public progress, the answers whether to vote, and the secret ballots."""

from typing import Annotated

from typing_extensions import TypedDict

from ..deliberation import make_delta_channel
from ..reducers import make_append_reducer
from ..schemas import Update
from .poll import CastBallot, Consent, Poll

gather_polls = make_append_reducer(Poll)


class VotingState(TypedDict):
    """Channels of votes: public progress and secret ballots."""

    polls: Annotated[list[Poll], make_delta_channel(gather_polls)]
    """Public record of every step of every vote."""
    consents: Annotated[list[Consent], make_delta_channel(make_append_reducer(Consent))]
    """Answers to the question whether to vote."""
    ballots: Annotated[list[CastBallot], make_delta_channel(make_append_reducer(CastBallot))]
    """Ballots of the voters, hidden from every prompt."""


class VotingUpdate(Update, total=False):
    """Channel values that a step of a vote may write, in addition to those of all steps."""

    polls: list[Poll]
    consents: list[Consent]
    ballots: list[CastBallot]
