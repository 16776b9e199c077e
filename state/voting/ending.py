"""Ending of a deliberation by a vote."""

from ..ending import Ending, Evidence
from .poll import Poll


def make_vote_ending(poll: Poll) -> Ending:
    """Make the ending of a counted vote, with or without a decision."""
    tally = poll.tally
    assert tally is not None
    evidence = Evidence(quote=poll.options.get(tally.winner or "", ""), note=tally.settled, figure=tally.votes)
    return Ending(reason="vote_decided" if tally.winner else "vote_undecided", strategy=tally.rule, evidence=evidence)
