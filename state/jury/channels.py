"""Channels of a jury's steps and stopping rules, and its output."""

from ..deliberation import DecisionState, ProgressState
from ..positions.channels import PositionRecordState, PositionsResult
from ..voting import Poll, VotingState


class JuryState(ProgressState, PositionRecordState, VotingState):
    """Channels that the stopping rules of a jury read."""


class JuryClosingState(JuryState, DecisionState):
    """Channels that the last step of a jury reads."""


class JuryResult(PositionsResult):
    """Output of a jury."""

    polls: list[Poll]
