"""Channels of a council: the reviews of its members, the count of their rankings, and the result."""

from typing import Annotated

from typing_extensions import TypedDict

from ..channel_requirements import BranchInput
from ..deliberation import DecisionState, LookupState, ProgressState, TurnState, make_delta_channel
from ..positions.channels import PositionsResult
from ..reducers import make_append_reducer
from ..schemas import Update
from ..voting import Poll, gather_polls
from .concordance import Concordance
from .review import Review


class ReviewState(TypedDict):
    """Channels of the reviews that members write about the answers."""

    reviews: Annotated[list[Review], make_delta_channel(make_append_reducer(Review))]
    """Ranking and critiques of every member, hidden from the other members."""
    polls: Annotated[list[Poll], make_delta_channel(gather_polls)]
    """Count of the rankings, with the author's name for each answer."""
    concordance: Concordance
    """Agreement between the rankings."""


class MemberState(TurnState):
    """Channels of the branch in which one member writes a review."""

    who: BranchInput[str]


class SeatedMemberState(MemberState, LookupState):
    """Channels of a member's branch, with the member's seat number."""

    seat: BranchInput[int]


class CouncilState(ProgressState, ReviewState):
    """Channels that the stopping rules of a council read."""


class CouncilClosingState(CouncilState, DecisionState):
    """Channels that the last step of a council reads."""


class CouncilUpdate(Update, total=False):
    """Channel values that a step of a council may write, in addition to those of all steps."""

    reviews: list[Review]
    polls: list[Poll]
    concordance: Concordance


class CouncilResult(PositionsResult, ReviewState):
    """Result of a council, in addition to that of protocols with positions."""
