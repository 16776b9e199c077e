"""The channels of a council."""

from typing import Annotated

from typing_extensions import TypedDict

from ..deliberation import Stage, Turn, delta
from ..positions.channels import PositionsResult
from ..reducers import appending
from ..requirements import Sent
from ..voting.channels import gather_polls
from ..voting.poll import Poll
from ..writes import Update
from .concordance import Concordance
from .review import Review

gather_reviews = appending(Review)


class Reviewing(TypedDict):
    """What members made of the answers."""

    reviews: Annotated[list[Review], delta(gather_reviews)]
    """Every member's ranking and critiques, kept from the other members."""
    polls: Annotated[list[Poll], delta(gather_polls)]
    """The count of the rankings; its options are the answers by their authors."""
    concordance: Concordance
    """How far the rankings agree."""


class Member(Turn):
    """The branch of one member."""

    who: Sent[str]


class Seated(Member):
    """The branch of one member who answers from its seat."""

    seat: Sent[int]


class Reviewed(Stage, Reviewing):
    """What decides how a council ended."""


class CouncilUpdate(Update, total=False):
    """What the steps of a council write beside what all steps write."""

    reviews: list[Review]
    polls: list[Poll]
    concordance: Concordance


class CouncilResult(PositionsResult):
    """What a council gives back beside what protocols with positions do."""

    reviews: list[Review]
    polls: list[Poll]
    concordance: Concordance
