"""Channels of the positions that participants declare, and of the answer computed from them."""

from typing import Annotated

from typing_extensions import TypedDict

from ..channel_requirements import BranchInput
from ..deliberation import ProgressState, TaskState, TurnState, make_delta_channel
from ..reducers import make_append_reducer
from ..schemas import DeliberationResult
from .answer import RunAnswer
from .calibrated_stop import ActiveStop
from .position import Position


class PositionRecordState(TypedDict):
    """Channels of the participants' positions and the run's answer."""

    positions: Annotated[list[Position], make_delta_channel(make_append_reducer(Position))]
    """Positions that participants declared. `Position` says which parts others see."""
    answer: RunAnswer | None
    """The run's answer so far; `None` without a recorded one."""
    stop: ActiveStop | None
    """Calibrated stop, read from its file when the run started; `None` without one."""


class DeclareState(TurnState):
    """Channels of the branch in which one participant declares its position."""

    who: BranchInput[str]
    when: BranchInput[str]


class AnswerState(TaskState, PositionRecordState):
    """Channels from which the run's answer is computed."""


class PositionsState(ProgressState, PositionRecordState):
    """Channels of the rules that compare declared positions."""


class PositionsResult(DeliberationResult):
    """Result that all protocols with positions share."""

    positions: list[Position]
    answer: RunAnswer | None
