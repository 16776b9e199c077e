"""Channels of a Delphi: the experts' estimates, the feedback on each round, and the result."""

from typing import Annotated

from typing_extensions import TypedDict

from ..deliberation import DecisionState, ProgressState, make_delta_channel
from ..positions.channels import PositionRecordState, PositionsResult
from ..reducers import make_append_reducer
from ..schemas import Update
from .estimate import ExpertEstimate, RoundFeedback


class EstimatesState(TypedDict):
    """Channels of the experts' estimates and of the feedback on each round."""

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
    """Channel values that a step of a Delphi may write, in addition to those of all steps."""

    estimates: list[ExpertEstimate]
    feedback: list[RoundFeedback]
