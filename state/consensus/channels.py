"""Channels of a consensus dialogue: agreement scores, drafts of common ground, answers to the drafts."""

from typing import Annotated

from typing_extensions import TypedDict

from ..deliberation import DecisionState, ProgressState, make_delta_channel
from ..positions.channels import PositionRecordState, PositionsResult
from ..reducers import make_append_reducer
from ..schemas import Update
from ..voting import Poll, VotingState
from .agreement import AgreementScore
from .draft import Confirmation, Draft


class ConvergenceState(TypedDict):
    """Channels of a group's agreement: scores, drafts of common ground, and answers to the drafts."""

    agreements: Annotated[list[AgreementScore], make_delta_channel(make_append_reducer(AgreementScore))]
    """Agreement of the group after each round."""
    drafts: Annotated[list[Draft], make_delta_channel(make_append_reducer(Draft))]
    """Drafts of the common ground."""
    confirmations: Annotated[list[Confirmation], make_delta_channel(make_append_reducer(Confirmation))]
    """Answers of all participants to the drafts."""


class GroupState(ProgressState, PositionRecordState, ConvergenceState):
    """Channels that the stopping rules of a group read."""


class GroupClosingState(GroupState, VotingState, DecisionState):
    """Channels that the last step of a consensus dialogue reads."""


class GroupResult(PositionsResult, ConvergenceState):
    """Result of a consensus dialogue, as returned by its graph."""

    polls: list[Poll]


class GroupUpdate(Update, total=False):
    """Channel values that a step of a consensus dialogue may write, in addition to those of all steps."""

    agreements: list[AgreementScore]
    drafts: list[Draft]
    confirmations: list[Confirmation]
