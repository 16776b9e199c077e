"""How a council ends: the rankings put one answer first, or they do not."""

from ..ending import Ending, Evidence
from .channels import Reviewed

UNRANKED = Ending(reason="answers_unranked", strategy="protocol", evidence=Evidence(figure=0, note="no_votes"))
"""No ranking could be counted."""


def counted(state: Reviewed) -> Ending | None:
    """The rankings were counted: one answer is first, or they tie, go round in a circle, or do not suffice."""
    tally = state["polls"][-1].tally if state["polls"] else None
    report = state["polls"][-1].report if state["polls"] else None
    if tally is None or report is None or not tally.votes:
        return None
    turns = [one.turn for one in state["history"] if one.speaker == tally.winner]
    circle = [] if tally.winner else report.condorcet.cycle
    reason = "answers_ranked" if tally.winner else "answers_cycle" if circle else "answers_undecided"
    evidence = Evidence(turns=turns, quote=" > ".join(circle), note=tally.settled, figure=tally.votes)
    return Ending(reason=reason, strategy="protocol", evidence=evidence)


def won(state: Reviewed) -> Ending | None:
    """The rankings put one answer first."""
    found = counted(state)
    return found if found and found.reason == "answers_ranked" else None


def unranked(state: Reviewed) -> Ending | None:
    """Whatever else happened, nothing was ranked."""
    return UNRANKED
