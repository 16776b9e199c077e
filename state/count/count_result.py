"""Settings and results of a count: one rule's tally, and the report over several rules."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from ..frozen import ClosedModel

TieRule = Literal["none", "seeded", "status_quo", "runoff"]
CountStatus = Literal["outright", "seeded", "status_quo", "runoff", "tied", "short", "no_quorum", "no_votes"]
"""Status of a finished count: with a winner (the first four) or without one.

Without a winner: a standing tie, no option over the threshold of the rule, too few voters present, no vote cast.
"""

TallyNumber = int | Annotated[float, Field(allow_inf_nan=False)]


class CountSettings(ClosedModel):
    """Settings of a count.

    Each share is read as the nearest fraction with a denominator up to 1000, so 2/3 is exact.
    """

    quorum: float = Field(default=0.5, ge=0, le=1, description="Share of voters who must vote or abstain.")
    supermajority_share: float = Field(
        default=2 / 3, gt=0.5, le=1, description="Share of cast votes that a supermajority needs."
    )
    tie_break: TieRule = Field(
        default="none",
        description="Tie-break: no winner, a random draw, the status quo, or a runoff with the same ballots.",
    )
    tie_seed: int = Field(default=0, ge=-(2**63), le=2**63 - 1, description="Seed of the random tie-break.")
    status_quo: str | None = Field(
        default=None, min_length=1, max_length=1_000, description="Option that wins a tie with `status_quo`."
    )
    exclude_self: bool = Field(default=False, description="Whether votes for oneself are left out.")
    amount_options: list[str] | None = Field(
        default=None, max_length=1_000, description="Options that need an amount; none: those listed with an amount."
    )

    @model_validator(mode="after")
    def _check_status_quo(self) -> Self:
        if self.tie_break == "status_quo" and self.status_quo is None:
            raise ValueError("tie = 'status_quo' needs status_quo: name the option that stays")
        return self


class Tally(ClosedModel):
    """Result of one rule, with figures as evidence and without names of voters."""

    rule: str = Field(description="The rule counted by.")
    winner: str | None = Field(description="The option that won, `choice @ amount` where an amount counts; or nobody.")
    choice: str | None = Field(default=None, description="The winner without its amount.")
    amount: int | None = Field(default=None, ge=0, le=10**12, description="The winner's amount, where it has one.")
    winners: list[str] = Field(description="Who the rule picks before the tie rule; several: a tie; empty: nobody.")
    settled: CountStatus = Field(description="How the count ended.")
    totals: dict[str, TallyNumber] = Field(description="Per option, in the rule's own unit.")
    margins: dict[str, TallyNumber] = Field(
        description="Per option, its lead over the strongest other; the rule's unit."
    )
    voters: int = Field(ge=0, description="The electorate.")
    votes: int = Field(ge=0, description="Ballots counted as votes.")
    abstentions: int = Field(ge=0, description="Ballots that abstain: present, without a vote.")
    invalid: int = Field(ge=0, description="Ballots at fault: neither a vote nor present.")
    excluded: int = Field(default=0, ge=0, description="Ballots for nobody but their voter: present, no vote.")
    turnout: float = Field(ge=0, le=1, description="Share of the electorate that voted, abstained or was excluded.")
    quorum_met: bool = Field(description="Whether the turnout reaches the quorum.")
    pairwise: dict[str, dict[str, int]] = Field(
        default_factory=dict, description="Rules of pairs: ballots that put the row's option above the column's."
    )
    rounds: list[dict[str, int]] = Field(
        default_factory=list, description="Instant runoff: votes per option still standing, round by round."
    )
    evidence: list[str] = Field(default_factory=list, description="Why it ended so, in plain lines.")
    faults: list[str] = Field(default_factory=list, description="Why each invalid ballot is one.")


class Condorcet(ClosedModel):
    """Condorcet winner of the ballots, or the cycle that prevents one."""

    winner: str | None = Field(default=None, description="The option that beats each other one; or none does.")
    cycle: list[str] = Field(
        default_factory=list,
        description="Without a winner: a shortest circle of top options, each beating the next, the last the first.",
    )
    top: list[str] = Field(
        default_factory=list, description="The smallest set of options that each beat every option outside it."
    )


class CountReport(ClosedModel):
    """Results of the same ballots under every rule that can count them."""

    tallies: dict[str, Tally] = Field(description="One tally per rule counted.")
    not_counted: dict[str, str] = Field(description="The rules these ballots do not support, and why.")
    agree: bool = Field(description="Whether no two rules name different winners.")
    winners: dict[str, list[str]] = Field(description="Each option that wins, and under which rules.")
    undecided: list[str] = Field(description="The rules under which nobody wins.")
    leads: dict[str, TallyNumber] = Field(description="By how much the winner leads, in the rule's own unit.")
    condorcet: Condorcet = Field(description="Empty where the ballots do not compare options.")
