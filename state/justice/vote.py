"""Secret votes of the justice experiment, and the public record made from them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from ..answers.record import AnswerRecord
from ..frozen_models import FrozenModel
from ..voting import has_enough_votes, is_vote_confirmed
from .principle import MAX_AMOUNT, Principle, SharingRule, needs_amount

VoteEvent = Literal["not_initiated", "confirmation_failed", "ballot_completed"]
VoteQuestion = Literal["initiation", "confirmation", "principle", "amount"]


def find_adopted_rule(ballots: Mapping[str, SharingRule | None], decision_rule: str) -> SharingRule | None:
    """Return the rule that enough participants voted for, with the same amount, or `None`.

    `ballots` has an entry for every participant. A missing ballot is `None` and counts as a vote against.
    """
    for rule, votes in Counter(ballot for ballot in ballots.values() if ballot is not None).most_common(1):
        if has_enough_votes(votes, len(ballots), decision_rule):
            return rule
    return None


class VoteAttempt(FrozenModel):
    """One attempt of a participant to answer a question of the vote."""

    participant: str = Field(description="Id of the participant.")
    question: VoteQuestion = Field(description="Question of the vote.")
    attempt: int = Field(default=1, ge=1, description="Number of the attempt, from 1.")


class VoteReply(VoteAttempt):
    """Unedited reply to a question of the vote, with its attempt."""

    text: str = Field(default="", description="Text of the reply; may be empty.")


class ParseFault(VoteAttempt):
    """Fault that made a reply to a question of the vote unusable."""

    fault: str = Field(description="Fault of the reply, in the participant's language.")


class VotingRecord(FrozenModel):
    """Record of one vote, step by step. Mappings are by participant id."""

    round: int = Field(ge=1, description="Round before the vote.")
    event: VoteEvent = Field(description="Last step that the vote reached.")
    forced: bool = Field(
        default=False, description="Whether the last round held the vote without asking who starts it."
    )
    initiator: str | None = Field(
        default=None, description="Id of the participant that started the vote; `None` without a proposal."
    )
    initiation_asked: list[str] = Field(
        default_factory=list, description="Ids of the participants asked for a proposal, in order."
    )
    initiation_replies: dict[str, bool] = Field(
        default_factory=dict, description="Answers to the question whether to start a vote, by id of the participant."
    )
    confirmations: dict[str, bool] = Field(
        default_factory=dict,
        description="Consent to the vote, by id of the participant; a missing answer counts as no.",
    )
    ballots: dict[str, SharingRule | None] = Field(
        default_factory=dict, description="Ballots, by id of the participant; none: missing."
    )
    raw_replies: list[VoteReply] = Field(default_factory=list, description="Every reply, unchanged.")
    parse_errors: list[ParseFault] = Field(default_factory=list, description="Unreadable replies, with the fault.")
    consensus: SharingRule | None = Field(default=None, description="Rule that the vote adopted.")


class VoteAnswer(AnswerRecord):
    """Answer to one question of a vote.

    The voter is a participant id. The question determines which value is set.
    """

    round: int = Field(ge=1, le=100, description="Round before the question.")
    question: VoteQuestion = Field(description="Question of the vote.")
    yes: bool = Field(
        default=False,
        description="Whether the participant says yes to a start or a consent; an unusable answer counts as no.",
    )
    principle: Principle | None = Field(default=None, description="Principle on the ballot; none: missing.")
    amount: int | None = Field(default=None, ge=1, le=MAX_AMOUNT, description="Amount on the ballot; none: missing.")
    errors: list[ParseFault] = Field(default_factory=list, description="Faults of unreadable replies.")


def select_answers(vote_answers: Sequence[VoteAnswer], round: int, question: VoteQuestion) -> dict[str, VoteAnswer]:
    """Return the answers to one question of the vote after `round`, by participant id."""
    return {answer.voter: answer for answer in vote_answers if answer.round == round and answer.question == question}


def find_initiator(vote_answers: Sequence[VoteAnswer], round: int) -> str | None:
    """Return the id of the participant who started the vote after `round`; `None` if nobody did."""
    return next((id for id, answer in select_answers(vote_answers, round, "initiation").items() if answer.yes), None)


def is_confirmed(vote_answers: Sequence[VoteAnswer], round: int, decision_rule: str) -> bool:
    """Return whether enough participants consented to the vote after `round`."""
    consents = {id: answer.yes for id, answer in select_answers(vote_answers, round, "confirmation").items()}
    return is_vote_confirmed(consents, find_initiator(vote_answers, round), decision_rule)


def map_constrained_votes(vote_answers: Sequence[VoteAnswer], round: int) -> dict[str, Principle]:
    """Map the id of each participant that voted for a principle with an amount to this principle."""
    votes = select_answers(vote_answers, round, "principle")
    return {id: vote.principle for id, vote in votes.items() if vote.principle and needs_amount(vote.principle)}


def _combine_ballot(principle_answer: VoteAnswer | None, amount_answer: VoteAnswer | None) -> SharingRule | None:
    if principle_answer is None or principle_answer.principle is None:
        return None
    if not needs_amount(principle_answer.principle):
        return SharingRule(principle=principle_answer.principle)
    amount = amount_answer.amount if amount_answer else None
    return SharingRule(principle=principle_answer.principle, constraint_amount=amount) if amount else None


def build_voting_record(
    vote_answers: Sequence[VoteAnswer], round: int, ids: Sequence[str], decision_rule: str
) -> VotingRecord:
    """Build the record of the vote after `round`: its progress, all replies and the adopted rule."""
    initiations = select_answers(vote_answers, round, "initiation")
    consents = select_answers(vote_answers, round, "confirmation")
    record = VotingRecord(
        round=round,
        event="not_initiated",
        forced=bool(consents) and not initiations,
        initiator=find_initiator(vote_answers, round),
        initiation_asked=list(initiations),
        initiation_replies={id: answer.yes for id, answer in initiations.items()},
        confirmations={id: answer.yes for id, answer in consents.items()},
        raw_replies=[
            VoteReply(participant=answer.voter, question=answer.question, attempt=attempt, text=text)
            for answer in vote_answers
            if answer.round == round
            for attempt, text in enumerate(answer.replies, start=1)
        ],
        parse_errors=[error for answer in vote_answers if answer.round == round for error in answer.errors],
    )
    if not consents:
        return record
    if not is_confirmed(vote_answers, round, decision_rule):
        return record.model_copy(update={"event": "confirmation_failed"})
    votes, amounts = select_answers(vote_answers, round, "principle"), select_answers(vote_answers, round, "amount")
    ballots = {id: _combine_ballot(votes.get(id), amounts.get(id)) for id in ids}
    adopted_rule = find_adopted_rule(ballots, decision_rule)
    return record.model_copy(update={"event": "ballot_completed", "ballots": ballots, "consensus": adopted_rule})
