"""Settings of the justice experiment: the vote."""

from typing import Literal, Self

from pydantic import Field, model_validator

from .justice_settings import Backoff, Knobs, Tries
from .principle import MAX_AMOUNT, SharingRule, numbered
from .spelling import unusable

VoteStep = Literal["initiation", "confirmation", "secret_ballot"]


class Vote(Knobs):
    """How a rule is adopted, and what happens when none is."""

    min_rounds_before_vote: int = Field(default=1, ge=1, le=100, description="Round from which a vote may start.")
    force_vote_in_final_round: bool = Field(
        default=True, description="Whether the last round votes without initiation."
    )
    decision_rule: Literal["unanimity", "majority", "imposed"] = Field(
        default="unanimity",
        description="Who must cast the identical pair; imposed: the rule is announced, not voted on.",
    )
    imposed_principle: Literal[1, 2, 3, 4] | None = Field(default=None, description="The rule announced, by number.")
    imposed_amount: int | None = Field(default=None, ge=1, le=MAX_AMOUNT, description="Its amount, for 3 and 4.")
    no_consensus_mode: Literal[
        "random_distribution_per_participant", "random_distribution_group", "random_principle"
    ] = Field(default="random_distribution_per_participant", description="What pays when no rule is adopted.")
    voting_initiation_timeout: float = Field(default=30.0, ge=1, le=600, description="Seconds, first try.")
    voting_confirmation_timeout: float = Field(default=30.0, ge=1, le=600, description="Seconds, first try.")
    voting_secret_ballot_timeout: float = Field(default=45.0, ge=1, le=600, description="Seconds, first try.")
    voting_retry_backoff: Backoff = Field(default=1.5, description="Factor from one try's timeout to the next.")
    voting_retry_limit: Tries = Field(default=3, description="Tries of a consent in all.")
    principle_extraction_retries: Tries = Field(default=3, description="Tries of a ballot's principle in all.")
    amount_extraction_retries: Tries = Field(default=3, description="Tries of a ballot's amount in all.")
    amount_min_reasonable: int = Field(default=1000, ge=1, le=MAX_AMOUNT, description="Smallest amount accepted.")
    amount_max_reasonable: int = Field(default=10_000_000, ge=2, le=MAX_AMOUNT, description="Largest amount accepted.")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        low, high = self.amount_min_reasonable, self.amount_max_reasonable
        if low >= high:
            raise unusable("amount_min_reasonable", low, f"must be below amount_max_reasonable, {high}")
        principle, amount = self.imposed_principle, self.imposed_amount
        if (principle is None) == (self.decision_rule == "imposed"):
            raise unusable("imposed_principle", principle, "give 1 to 4 with decision_rule: imposed, and only then")
        if (amount is None) == (principle in (3, 4)):
            raise unusable("imposed_amount", amount, "give it with imposed_principle 3 or 4, and only then")
        return self

    @property
    def imposed(self) -> SharingRule | None:
        """The rule announced; none unless one is imposed."""
        if self.imposed_principle is None:
            return None
        return SharingRule(principle=numbered(self.imposed_principle), constraint_amount=self.imposed_amount)

    def timeouts(self, step: VoteStep, tries: int) -> list[float]:
        """Seconds allowed for each of `tries` tries of a step: base × backoff^(try − 1)."""
        bases = {
            "initiation": self.voting_initiation_timeout,
            "confirmation": self.voting_confirmation_timeout,
            "secret_ballot": self.voting_secret_ballot_timeout,
        }
        return [bases[step] * self.voting_retry_backoff**place for place in range(tries)]
