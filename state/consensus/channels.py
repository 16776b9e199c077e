"""The channels of a group that looks for common ground."""

from typing import Annotated

from typing_extensions import TypedDict

from ..deliberation import Stage, delta
from ..positions.channels import Positions, PositionsResult
from ..reducers import appending
from ..voting import Poll
from ..writes import Update
from .agreement import Weighing

gather_weighings = appending(Weighing)


class Converging(TypedDict):
    """How far a group agrees."""

    weighings: Annotated[list[Weighing], delta(gather_weighings)]
    """How far the group had converged after each round."""


class GroupStage(Stage, Positions, Converging):
    """What decides whether a group agrees."""


class GroupResult(PositionsResult):
    """What a group's dialogue gives back."""

    weighings: list[Weighing]
    polls: list[Poll]


class GroupUpdate(Update, total=False):
    """What a group's steps write beside what all steps write."""

    weighings: list[Weighing]
