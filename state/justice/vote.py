"""The box of the justice experiment: what each was asked in a vote and answered, and the record made from it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ..voting import carried, confirmed
from .principle import MAX_AMOUNT, Principle, SharingRule, needs_amount
from .reading import Fault

VoteEvent = Literal["not_initiated", "confirmation_failed", "ballot_completed"]
VoteQuestion = Literal["initiation", "confirmation", "principle", "amount"]


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


class VoteReply(Try):
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
    initiation_asked: list[str] = Field(
        default_factory=list, description="Ids of who was asked whether to start it, in the order they were asked."
    )
    initiation_replies: dict[str, bool] = Field(default_factory=dict, description="Who wanted a vote now.")
    confirmations: dict[str, bool] = Field(default_factory=dict, description="Who consented; no answer counts as no.")
    ballots: dict[str, SharingRule | None] = Field(default_factory=dict, description="Who cast what; none: missing.")
    raw_replies: list[VoteReply] = Field(default_factory=list, description="Every reply as it came.")
    parse_errors: list[ParseError] = Field(default_factory=list, description="What could not be read.")
    consensus: SharingRule | None = Field(default=None, description="The rule adopted.")


class VoteAnswer(BaseModel):
    """One participant's answer to one question of a vote; which value is set depends on the question."""

    model_config = ConfigDict(frozen=True)

    round: int = Field(ge=1, le=100, description="Round after which it was asked.")
    participant: str = Field(description="Id of who was asked.")
    question: VoteQuestion = Field(description="What was asked.")
    yes: bool = Field(default=False, description="Initiation and confirmation: 1; no usable answer counts as 0.")
    principle: Principle | None = Field(default=None, description="Ballot, first part; none: missing.")
    amount: int | None = Field(default=None, ge=1, le=MAX_AMOUNT, description="Ballot, second part; none: missing.")
    replies: list[VoteReply] = Field(default_factory=list, description="Every reply as it came.")
    errors: list[ParseError] = Field(default_factory=list, description="What could not be read.")


def answers_to(box: Sequence[VoteAnswer], round: int, question: VoteQuestion) -> dict[str, VoteAnswer]:
    """The answers to one question after one round, by participant id."""
    return {one.participant: one for one in box if one.round == round and one.question == question}


def initiator_of(box: Sequence[VoteAnswer], round: int) -> str | None:
    """Id of the one who started the vote after `round`; none: nobody did."""
    return next((id for id, one in answers_to(box, round, "initiation").items() if one.yes), None)


def is_confirmed(box: Sequence[VoteAnswer], round: int, decision_rule: str) -> bool:
    """Whether the group goes on to the ballot after `round`."""
    consents = {id: one.yes for id, one in answers_to(box, round, "confirmation").items()}
    return confirmed(consents, initiator_of(box, round), decision_rule)


def wants_amount(box: Sequence[VoteAnswer], round: int) -> dict[str, Principle]:
    """Who voted for a principle that comes with an amount, by id, and for which."""
    votes = answers_to(box, round, "principle")
    return {id: one.principle for id, one in votes.items() if one.principle and needs_amount(one.principle)}


def ballots_in(box: Sequence[VoteAnswer], round: int, ids: Sequence[str]) -> dict[str, SharingRule | None]:
    """Every participant's ballot after `round`; none where either part is missing."""
    votes, amounts = answers_to(box, round, "principle"), answers_to(box, round, "amount")
    return {id: _ballot(votes.get(id), amounts.get(id)) for id in ids}


def _ballot(vote: VoteAnswer | None, amount: VoteAnswer | None) -> SharingRule | None:
    if vote is None or vote.principle is None:
        return None
    if not needs_amount(vote.principle):
        return SharingRule(principle=vote.principle)
    named = amount.amount if amount else None
    return SharingRule(principle=vote.principle, constraint_amount=named) if named else None


def record_of(box: Sequence[VoteAnswer], round: int, ids: Sequence[str], decision_rule: str) -> VotingRecord:
    """The record of the vote attempt after `round`: how far it came, who said what, what was adopted."""
    asked, consents = answers_to(box, round, "initiation"), answers_to(box, round, "confirmation")
    record = VotingRecord(
        round=round,
        event="not_initiated",
        forced=bool(consents) and not asked,
        initiator=initiator_of(box, round),
        initiation_asked=list(asked),
        initiation_replies={id: one.yes for id, one in asked.items()},
        confirmations={id: one.yes for id, one in consents.items()},
        raw_replies=[reply for one in box if one.round == round for reply in one.replies],
        parse_errors=[error for one in box if one.round == round for error in one.errors],
    )
    if not consents:
        return record
    if not is_confirmed(box, round, decision_rule):
        return record.model_copy(update={"event": "confirmation_failed"})
    ballots = ballots_in(box, round, ids)
    found = adopted(ballots, decision_rule)
    return record.model_copy(update={"event": "ballot_completed", "ballots": ballots, "consensus": found})
