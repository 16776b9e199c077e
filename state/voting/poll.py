"""Progress of a vote: proposal, consent and its majority, secret ballots, count."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from ..answers.record import AnswerRecord
from ..ballot import Ballot
from ..count import CountReport, Tally
from ..ending import Ending, Evidence
from ..frozen_models import FrozenModel


class Consent(AnswerRecord):
    """Answer of a participant to the question whether to vote now."""

    poll: int = Field(ge=1, description="Number of the vote.")
    agrees: bool = Field(description="Whether the participant consents; an unreadable answer counts as no.")
    fault: str = Field(default="", description="Reason why an unreadable answer counts as no; empty: readable.")


class CastBallot(AnswerRecord):
    """Ballot of one voter in one vote, secret until the count."""

    poll: int = Field(ge=1, description="Number of the vote.")
    ballot: Ballot = Field(description="Ballot of the voter.")


class Poll(FrozenModel):
    """Entry in the public record about one step of a vote."""

    number: int = Field(ge=1, description="Number of the vote, from 1.")
    round: int = Field(default=0, ge=0, description="Round before the vote.")
    event: Literal["initiated", "not_held", "confirmed", "confirmation_failed", "completed"] = Field(
        description="Last step of the vote."
    )
    initiator: str = Field(
        default="", description="Participant that proposed the vote; empty: scheduled by the protocol."
    )
    options: dict[str, str] = Field(default_factory=dict, description="Options by sign, such as `A`.")
    refused: list[str] = Field(default_factory=list, description="Participants that refused.")
    tally: Tally | None = Field(default=None, description="Result of the count; none: not counted.")
    report: CountReport | None = Field(
        default=None, description="Results under every rule that can count these ballots; none: not counted."
    )
    ballots: list[Ballot] = Field(default_factory=list, description="Ballots of an open vote; empty: secret.")


def list_poll_ballots(cast_ballots: list[CastBallot], number: int) -> list[Ballot]:
    """Return the latest ballot of each voter in the vote with this number."""
    return list({cast.ballot.voter: cast.ballot for cast in cast_ballots if cast.poll == number}.values())


def make_vote_ending(poll: Poll) -> Ending:
    """Make the ending of a run after the count of its vote, with or without a decision."""
    tally = poll.tally
    assert tally is not None
    evidence = Evidence(quote=poll.options.get(tally.winner or "", ""), note=tally.status, figure=tally.votes)
    return Ending(reason="vote_decided" if tally.winner else "vote_undecided", strategy=tally.rule, evidence=evidence)


COUNTED_AS_NO = "counted as no"
"""Consequence of a missing or unreadable answer to the question of consent."""


def list_consent_voters(voters: Sequence[str], initiator: str | None) -> list[str]:
    """Return the voters who must consent to a vote: all except the initiator, who already consents."""
    return [voter for voter in voters if voter != initiator]


def list_refusers(consents: Mapping[str, bool]) -> list[str]:
    """Return the voters who refuse consent. A missing answer in `consents` counts as a refusal."""
    return [voter for voter, agrees in consents.items() if not agrees]


def has_enough_votes(yes_votes: int, voters: int, decision_rule: str) -> bool:
    """Return whether `yes_votes` are enough: all `voters`, or, by majority, more than half."""
    return yes_votes * 2 > voters if decision_rule == "majority" else 0 < yes_votes == voters


def is_vote_confirmed(consents: Mapping[str, bool], initiator: str | None, decision_rule: str = "unanimity") -> bool:
    """Return whether the group consents to the vote.

    `consents` holds the answers of all voters but the initiator; a missing answer is `False`. The initiator consents
    by proposing the vote.
    """
    all_consents = {**consents, **({initiator: True} if initiator else {})}
    return has_enough_votes(sum(all_consents.values()), len(all_consents), decision_rule)
