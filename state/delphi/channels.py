"""Channels of a Delphi."""

from typing import Annotated

from typing_extensions import TypedDict

from ..deliberation import DecisionState, ProgressState, make_delta_channel
from ..positions.channels import PositionRecordState, PositionsResult
from ..reducers import make_append_reducer
from ..schemas import Update
from .estimate import ExpertEstimate, RoundFeedback


class EstimatesState(TypedDict):
    """Estimates of the experts and the feedback they receive."""

    estimates: Annotated[list[ExpertEstimate], make_delta_channel(make_append_reducer(ExpertEstimate))]
    """Every estimate, in the order of rounds and seats. An expert sees only its own estimates."""
    feedback: Annotated[list[RoundFeedback], make_delta_channel(make_append_reducer(RoundFeedback))]
    """Feedback to all experts after each round."""


class DelphiState(ProgressState, PositionRecordState, EstimatesState):
    """Channels that the stopping rules of a Delphi read."""


class DelphiClosingState(DelphiState, DecisionState):
    """Channels that the last step of a Delphi reads."""


class DelphiResult(PositionsResult, EstimatesState):
    """Output of a Delphi."""


class DelphiUpdate(Update, total=False):
    """Updates that only the steps of a Delphi write."""

    estimates: list[ExpertEstimate]
    feedback: list[RoundFeedback]
