"""Progress of a vote: proposal, consent, secret ballots, count."""

from typing import Literal

from pydantic import Field

from ..answers.record import AnswerRecord
from ..ballot import Ballot
from ..count import CountReport, Tally
from ..ending import Ending, Evidence
from ..frozen import FrozenModel


class Consent(AnswerRecord):
    """Answer of a participant to the question whether to vote now."""

    poll: int = Field(ge=1, description="Number of the vote.")
    agrees: bool = Field(description="Whether it consents; an unreadable answer is a no, with `fault`.")
    fault: str = Field(default="", description="Why the answer counted as a no; empty: it was one.")


class CastBallot(AnswerRecord):
    """Ballot of one voter in one vote, secret until all votes are cast."""

    poll: int = Field(ge=1, description="Number of the vote.")
    ballot: Ballot = Field(description="What the voter said.")


class Poll(FrozenModel):
    """Step of a vote, in the public record."""

    number: int = Field(ge=1, description="Number of the vote, from 1.")
    round: int = Field(default=0, ge=0, description="The round after which it was held.")
    event: Literal["initiated", "not_held", "confirmed", "confirmation_failed", "completed"] = Field(
        description="The step."
    )
    initiator: str = Field(default="", description="Who proposed it; empty: the protocol's schedule.")
    options: dict[str, str] = Field(default_factory=dict, description="What can be chosen, by its sign.")
    refused: list[str] = Field(default_factory=list, description="Who did not consent.")
    tally: Tally | None = Field(default=None, description="The count, once completed.")
    report: CountReport | None = Field(default=None, description="The same ballots under every rule they support.")
    ballots: list[Ballot] = Field(default_factory=list, description="The ballots, where the vote is open.")


def list_poll_ballots(cast_ballots: list[CastBallot], number: int) -> list[Ballot]:
    """List the latest ballot of each voter in one vote."""
    return list({cast.ballot.voter: cast.ballot for cast in cast_ballots if cast.poll == number}.values())


def make_vote_ending(poll: Poll) -> Ending:
    """Make the ending of a run after the count of its vote, with or without a decision."""
    tally = poll.tally
    assert tally is not None
    evidence = Evidence(quote=poll.options.get(tally.winner or "", ""), note=tally.settled, figure=tally.votes)
    return Ending(reason="vote_decided" if tally.winner else "vote_undecided", strategy=tally.rule, evidence=evidence)
