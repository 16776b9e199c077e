"""The channels of a Delphi."""

from typing import Annotated

from typing_extensions import TypedDict

from ..deliberation import Stage, delta
from ..positions.channels import Positions, PositionsResult
from ..reducers import appending
from ..writes import Update
from .estimate import Estimate, Feedback

gather_estimates = appending(Estimate)
gather_feedback = appending(Feedback)


class Estimating(TypedDict):
    """What experts estimate, and what they are told of it."""

    estimates: Annotated[list[Estimate], delta(gather_estimates)]
    """Every estimate, in the order of rounds and seats; an expert is shown its own, and nobody's name."""
    feedback: Annotated[list[Feedback], delta(gather_feedback)]
    """What everyone was told after each round."""


class Estimated(Stage, Positions, Estimating):
    """What decides whether a Delphi is done."""


class DelphiResult(PositionsResult):
    """What a Delphi gives back."""

    estimates: list[Estimate]
    feedback: list[Feedback]


class DelphiUpdate(Update, total=False):
    """What the steps of a Delphi write beside what all steps write."""

    estimates: list[Estimate]
    feedback: list[Feedback]
