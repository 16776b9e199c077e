"""Settings of a vote: the voting rule, the count, and who sees the ballots."""

from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from ..count import VOTING_RULES, CountSettings, VotingRule
from ..errors import check_effect
from ..plugins import VOTING_RULE_GROUP, PluginName
from ..settings import StoppingSettings


class VotingSettings(StoppingSettings):
    """Settings of protocols with an optional closing vote."""

    may_abstain: ClassVar[bool] = True
    """Flag for protocols whose voters may abstain."""

    vote: Annotated[str, PluginName(VOTING_RULE_GROUP, ("off", *VOTING_RULES), VotingRule)] = Field(
        default="off", description="Counting rule of the final vote, or `off`."
    )
    count: CountSettings = Field(default=CountSettings(), description="Settings of the count.")
    open_ballot: bool = Field(default=False, description="Whether participants see each other's ballots.")

    @model_validator(mode="after")
    def _check_vote_settings(self) -> Self:
        for key in ("open_ballot", "count"):
            check_effect(self, key, self.has_vote, "set vote to a rule such as borda")
        return self

    @property
    def has_vote(self) -> bool:
        """Whether a vote ends the deliberation."""
        return self.vote != "off"

    @property
    def count_settings(self) -> CountSettings:
        """Settings of the count. Its random tie-break uses the run's seed if the settings name no tie seed."""
        return self.count.model_copy(update={"tie_seed": self.count.tie_seed or self.seed or 0})

    @property
    def voting_rule(self) -> str:
        """Return the name of the rule for the closing vote. Call it only if the settings have a vote."""
        assert self.vote != "off"
        return self.vote
