"""The rules of a vote."""

from typing import Annotated, ClassVar

from pydantic import Field

from ..count import RULES, CountSettings, Rule
from ..installed.named import Named
from ..installed.packages import COUNTS
from ..rules import TalkRules


class VotingRules(TalkRules):
    """The knobs of protocols whose talk a vote may close."""

    may_abstain: ClassVar[bool] = True
    """Whether a voter may abstain."""

    vote: Annotated[str, Named(COUNTS, ("off", *RULES), Rule)] = Field(
        default="off", description="Counting rule of a closing vote, or `off`."
    )
    ballot: CountSettings = Field(default=CountSettings(), description="Quorum, tie rule and share of the vote.")
    open_ballot: bool = Field(default=False, description="Whether individual ballots become public.")

    @property
    def votes(self) -> bool:
        """Whether a vote closes the talk."""
        return self.vote != "off"

    @property
    def counted_by(self) -> str:
        """The counting rule of a vote that is held."""
        assert self.vote != "off"
        return self.vote
