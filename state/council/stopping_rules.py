"""Stopping rules of a council, after the count of the rankings."""

from ..ending import Ending, Evidence
from .channels import CouncilState

UNRANKED_ENDING = Ending(reason="answers_unranked", strategy="protocol", evidence=Evidence(figure=0, note="no_votes"))


def stop_on_rankings(state: CouncilState) -> Ending | None:
    """Stop if the rankings are counted. The reason says whether there is a winner, a cycle or neither."""
    tally = state["polls"][-1].tally if state["polls"] else None
    report = state["polls"][-1].report if state["polls"] else None
    if tally is None or report is None or not tally.votes:
        return None
    turns = [statement.turn for statement in state["history"] if statement.speaker == tally.winner]
    cycle = [] if tally.winner else report.condorcet.cycle
    reason = "answers_ranked" if tally.winner else "answers_cycle" if cycle else "answers_undecided"
    evidence = Evidence(turns=turns, quote=" > ".join(cycle), note=tally.status, figure=tally.votes)
    return Ending(reason=reason, strategy="protocol", evidence=evidence)


def stop_on_winner(state: CouncilState) -> Ending | None:
    """Stop if the rankings put one answer first."""
    ending = stop_on_rankings(state)
    return ending if ending and ending.reason == "answers_ranked" else None


def stop_without_ranking(state: CouncilState) -> Ending | None:
    """Stop always. This rule comes after the others, for a council without a valid ranking."""
    return UNRANKED_ENDING
