"""How a vote ends a deliberation."""

from ..ending import Ending, Evidence
from .channels import Voting


def by_vote(state: Voting) -> Ending | None:
    """The latest vote was counted: it decided, or it did not."""
    last = state["polls"][-1] if state["polls"] else None
    if last is None or last.tally is None:
        return None
    counted = last.tally
    evidence = Evidence(quote=last.options.get(counted.winner or "", ""), note=counted.settled, figure=counted.votes)
    return Ending(
        reason="vote_decided" if counted.winner else "vote_undecided", strategy=counted.rule, evidence=evidence
    )
