"""What a jury's steps and endings read, and what it gives back."""

from ..deliberation import Stage
from ..positions.channels import Positions, PositionsResult
from ..voting import Poll
from ..voting.channels import Voting


class Judged(Stage, Positions, Voting):
    """What decides whether a jury is done."""


class JuryResult(PositionsResult):
    """What a jury gives back."""

    polls: list[Poll]
