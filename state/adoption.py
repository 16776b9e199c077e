"""Adoption: when a vote goes on, and which rule of distribution a group has adopted. Pairs must be identical."""

from collections import Counter
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from .principle import SharingRule
from .reading import Fault

VoteEvent = Literal["not_initiated", "confirmation_failed", "ballot_completed"]
VoteQuestion = Literal["initiation", "confirmation", "principle", "amount"]


def carried(yes: int, voters: int, decision_rule: str) -> bool:
    """Whether `yes` of all `voters` are enough: every one, or, by majority, more than half. None of none is not."""
    return yes * 2 > voters if decision_rule == "majority" else 0 < yes == voters


def confirmed(consents: Mapping[str, bool], initiator: str | None, decision_rule: str) -> bool:
    """Whether the group goes on to the ballot.

    `consents` holds the answers of all who were asked (no answer: False); the initiator's proposal is its consent.
    """
    said = {**consents, **({initiator: True} if initiator else {})}
    return carried(sum(said.values()), len(said), decision_rule)


def adopted(ballots: Mapping[str, SharingRule | None], decision_rule: str) -> SharingRule | None:
    """The rule that enough of all participants cast as the identical pair; None where there is none.

    `ballots` holds an entry for every participant; a missing ballot is None and counts against.
    """
    pairs = Counter(ballot for ballot in ballots.values() if ballot is not None)
    for rule, votes in pairs.most_common(1):
        if carried(votes, len(ballots), decision_rule):
            return rule
    return None


class Try(BaseModel):
    """One try at a question of the vote."""

    model_config = ConfigDict(frozen=True)

    participant: str = Field(description="Id of who replied.")
    question: VoteQuestion = Field(description="What was asked.")
    attempt: int = Field(default=1, ge=1, description="Which try it was, from 1.")


class Reply(Try):
    """One reply to a question of the vote, as it came."""

    text: str = Field(default="", description="The reply; empty where none came.")


class ParseError(Try):
    """Why a reply could not be used."""

    fault: Fault = Field(description="What was wrong.")


class VotingRecord(BaseModel):
    """One vote attempt, step by step. Mappings are by participant id and hold who was asked."""

    model_config = ConfigDict(frozen=True)

    round: int = Field(ge=1, description="Round after which it was held.")
    event: VoteEvent = Field(description="How far it came.")
    forced: bool = Field(default=False, description="Whether the last round skipped the initiation.")
    initiator: str | None = Field(default=None, description="Id of who started it; none: nobody, or forced.")
    initiation_replies: dict[str, bool] = Field(default_factory=dict, description="Who wanted a vote now.")
    confirmations: dict[str, bool] = Field(default_factory=dict, description="Who consented; no answer counts as no.")
    ballots: dict[str, SharingRule | None] = Field(default_factory=dict, description="Who cast what; none: missing.")
    raw_replies: list[Reply] = Field(default_factory=list, description="Every reply as it came.")
    parse_errors: list[ParseError] = Field(default_factory=list, description="What could not be read.")
    consensus: SharingRule | None = Field(default=None, description="The rule adopted.")
