"""Stopping rule of a vote."""

from ..ending import Ending, Evidence
from .channels import VotingState


def stop_on_vote(state: VotingState) -> Ending | None:
    """Stop if the latest vote was counted, with or without a decision."""
    poll = state["polls"][-1] if state["polls"] else None
    if poll is None or poll.tally is None:
        return None
    tally = poll.tally
    evidence = Evidence(quote=poll.options.get(tally.winner or "", ""), note=tally.settled, figure=tally.votes)
    return Ending(reason="vote_decided" if tally.winner else "vote_undecided", strategy=tally.rule, evidence=evidence)
