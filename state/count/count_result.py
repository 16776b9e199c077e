"""Settings and results of a count: one rule's tally, and the report over several rules."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ..errors import check_effect
from ..frozen_models import ClosedModel

TieRule = Literal["none", "seeded", "status_quo", "runoff"]
CountStatus = Literal["outright", "seeded", "status_quo", "runoff", "tied", "short", "no_quorum", "no_votes"]
"""Status of a finished count: with a winner (the first four) or without one.

The statuses without a winner: an unbroken tie, no option over the threshold of the rule, too few voters, no vote cast.
"""

TallyNumber = int | Annotated[float, Field(allow_inf_nan=False)]


class CountSettings(ClosedModel):
    """Settings of a count.

    Each share is read as the nearest fraction with a denominator up to 1000, so 2/3 is exact.
    """

    quorum: float = Field(
        default=0.5, ge=0, le=1, description="Share of voters who must cast a ballot; an abstention counts."
    )
    supermajority_share: float = Field(
        default=2 / 3, gt=0.5, le=1, description="Share of cast votes that a supermajority needs."
    )
    tie_break: TieRule = Field(
        default="none",
        description="Tie-break: no winner, a random draw, the status quo, or a runoff with the same ballots.",
    )
    tie_seed: int = Field(
        default=0, ge=-(2**63), le=2**63 - 1, description="Seed of the random tie-break; 0: the run's seed."
    )
    status_quo: str | None = Field(
        default=None, min_length=1, max_length=1_000, description="Option that wins a tie with `status_quo`."
    )
    exclude_self: bool = Field(default=False, description="Whether the count leaves out votes for oneself.")
    amount_options: list[str] | None = Field(
        default=None,
        max_length=1_000,
        description="Options that need an amount; none: the options that already name one.",
    )

    @model_validator(mode="after")
    def _check_status_quo(self) -> Self:
        if self.tie_break == "status_quo" and self.status_quo is None:
            raise ValueError("tie_break = 'status_quo' needs status_quo: name there the option that wins a tie")
        check_effect(self, "status_quo", self.tie_break == "status_quo", "set tie_break to status_quo")
        return self


class Tally(ClosedModel):
    """Result of one rule, with figures as evidence and without names of voters."""

    rule: str = Field(description="Voting rule of the count.")
    winner: str | None = Field(
        description="Winning option, as `choice @ amount` if it has an amount; `None` without a winner."
    )
    choice: str | None = Field(default=None, description="The winner without its amount.")
    amount: int | None = Field(default=None, ge=0, le=10**12, description="Amount of the winner; `None` without one.")
    winners: list[str] = Field(description="Winners before the tie-break. Several winners are a tie.")
    status: CountStatus = Field(description="Status of the count.")
    totals: dict[str, TallyNumber] = Field(description="Total of each option, in the unit of the rule.")
    margins: dict[str, TallyNumber] = Field(
        description="Lead of each option over the strongest other one, in the unit of the rule."
    )
    voters: int = Field(ge=0, description="Number of voters in the electorate.")
    votes: int = Field(ge=0, description="Ballots counted as votes.")
    abstentions: int = Field(ge=0, description="Ballots that abstain; they count for the quorum.")
    invalid: int = Field(ge=0, description="Invalid ballots; they do not count for the quorum.")
    excluded: int = Field(
        default=0, ge=0, description="Ballots with votes only for their own voter; they count only for the quorum."
    )
    turnout: float = Field(ge=0, le=1, description="Share of the electorate that voted, abstained or was excluded.")
    quorum_met: bool = Field(description="Whether the turnout reaches the quorum.")
    pairwise: dict[str, dict[str, int]] = Field(
        default_factory=dict,
        description="For pairwise rules: number of ballots that put the row's option above the column's.",
    )
    rounds: list[dict[str, int]] = Field(
        default_factory=list, description="For instant runoff: votes of the remaining options in each round."
    )
    evidence: list[str] = Field(default_factory=list, description="Explanation of the result, in plain lines.")
    faults: list[str] = Field(default_factory=list, description="Fault of each invalid ballot.")


class CondorcetResult(ClosedModel):
    """Condorcet winner of the ballots or, without one, the cycle or the tied options at the top."""

    winner: str | None = Field(default=None, description="Option that beats every other one; `None` without one.")
    cycle: list[str] = Field(
        default_factory=list,
        description="Shortest cycle among the top options: each beats the next, and the last beats the first.",
    )
    top: list[str] = Field(
        default_factory=list, description="Smallest set of options that each beat every option outside the set."
    )


class CountReport(ClosedModel):
    """Results of the same ballots under every rule that can count them."""

    tallies: dict[str, Tally] = Field(description="Tally of each rule.")
    not_counted: dict[str, str] = Field(description="Rules that cannot count these ballots, with the reason.")
    rules_agree: bool = Field(description="Whether all rules with a winner name the same one.")
    winners: dict[str, list[str]] = Field(description="Winning options, each with the rules by which it wins.")
    undecided: list[str] = Field(description="Rules without a winner.")
    leads: dict[str, TallyNumber] = Field(description="Lead of the winner, in the unit of each rule.")
    condorcet: CondorcetResult = Field(
        description="Condorcet winner or cycle; empty: ballots that do not compare options."
    )
