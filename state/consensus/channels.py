"""The channels of a group that looks for common ground and may vote on it."""

from typing import Annotated

from typing_extensions import TypedDict

from ..deliberation import Stage, delta
from ..reducers import appending
from ..voting import CastBallot, Consent, Poll
from ..writes import Result, Update
from .position import Position, Weighing

gather_positions = appending(Position)
gather_weighings = appending(Weighing)
gather_polls = appending(Poll)
gather_consents = appending(Consent)
gather_ballots = appending(CastBallot)


class Converging(TypedDict):
    """How far a group agrees."""

    positions: Annotated[list[Position], delta(gather_positions)]
    """What each participant declared, round by round."""
    weighings: Annotated[list[Weighing], delta(gather_weighings)]
    """How far the group had converged after each round."""


class Voting(TypedDict):
    """Votes: their course in public, their ballots in secret."""

    polls: Annotated[list[Poll], delta(gather_polls)]
    """Every step of every vote, as everyone may know it."""
    consents: Annotated[list[Consent], delta(gather_consents)]
    """Answers to the question whether to vote."""
    ballots: Annotated[list[CastBallot], delta(gather_ballots)]
    """The box: what each voter said, kept from every prompt."""


class GroupStage(Stage, Converging, Voting):
    """What decides whether a group goes on."""


class GroupResult(Result):
    """What a group's dialogue gives back."""

    positions: list[Position]
    weighings: list[Weighing]
    polls: list[Poll]


class GroupUpdate(Update, total=False):
    """What a group's steps write beside what all steps write."""

    positions: list[Position]
    weighings: list[Weighing]
    polls: list[Poll]
    consents: list[Consent]
    ballots: list[CastBallot]
