"""The channels of a group that looks for common ground."""

from typing import Annotated

from typing_extensions import TypedDict

from ..deliberation import Stage, delta
from ..reducers import appending
from ..voting import Poll
from ..writes import Result, Update
from .agreement import Position, Weighing

gather_positions = appending(Position)
gather_weighings = appending(Weighing)


class Converging(TypedDict):
    """How far a group agrees."""

    positions: Annotated[list[Position], delta(gather_positions)]
    """What each participant declared, round by round."""
    weighings: Annotated[list[Weighing], delta(gather_weighings)]
    """How far the group had converged after each round."""


class GroupStage(Stage, Converging):
    """What decides whether a group agrees."""


class GroupResult(Result):
    """What a group's dialogue gives back."""

    positions: list[Position]
    weighings: list[Weighing]
    polls: list[Poll]


class GroupUpdate(Update, total=False):
    """What a group's steps write beside what all steps write."""

    positions: list[Position]
    weighings: list[Weighing]
