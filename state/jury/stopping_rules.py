"""Stopping rules of a jury: a verdict, a deadlock, or too few ballots."""

from itertools import pairwise

from ..availability import OUTAGE, stop_if_all_absent
from ..channel_requirements import mark_reads
from ..ending import PARTICIPANTS_UNAVAILABLE, Ending, Evidence, StopBasis
from ..positions.position import group_by_moment
from ..stopping.rules import stop_at_turn_cap, stop_on_first
from ..voting import list_poll_ballots
from .channels import JuryState
from .settings import JurySettings
from .verdict import compute_needed_votes, has_changed_votes, has_vote_quorum


@mark_reads
def stop_on_verdict(state: JuryState, settings: JurySettings) -> Ending | None:
    """Stop if enough jurors voted for the same option.

    Without dynamic termination, stop only when a cap is reached.
    """
    tally = state["polls"][-1].tally if state["polls"] else None
    if tally is None or tally.winner is None or not (settings.dynamic_termination or stop_at_jury_cap(state)):
        return None
    text = state["polls"][-1].options[tally.winner]
    needed_votes = compute_needed_votes(settings.verdict_rule, len(state["participants"]))
    evidence = Evidence(quote=text, figure=tally.totals[tally.winner], threshold=needed_votes, note="jury_votes")
    return Ending(reason="verdict_reached", strategy="ballots", evidence=evidence, basis=StopBasis(kind="event"))


def stop_on_few_votes(state: JuryState) -> Ending | None:
    """Stop if fewer than half of the jurors gave a valid vote in the last ballot."""
    poll = state["polls"][-1] if state["polls"] else None
    if poll is None or poll.tally is None or has_vote_quorum(poll.tally):
        return None
    absent_jurors = [
        ballot.voter for ballot in list_poll_ballots(state["ballots"], poll.number) if ballot.choice not in poll.options
    ]
    votes, half_count = poll.tally.votes, poll.tally.voters / 2
    evidence = Evidence(quote=", ".join(absent_jurors), figure=votes, threshold=half_count, note="unvoted")
    return Ending(reason=PARTICIPANTS_UNAVAILABLE, strategy=OUTAGE, evidence=evidence)


def stop_without_jurors(state: JuryState) -> Ending | None:
    """Stop if every juror missed its latest turn, and at least one missed its last three."""
    ending = stop_if_all_absent(state)
    return ending and ending.model_copy(update={"strategy": OUTAGE})


stop_if_abandoned = mark_reads(stop_without_jurors, stop_if_all_absent)


@mark_reads
def stop_on_deadlock(state: JuryState, settings: JurySettings) -> Ending | None:
    """Stop if no vote changed during the last `deadlock_after` ballots.

    Without `dynamic_termination`, never stop.
    """
    ballots = group_by_moment(state["positions"])[-(settings.deadlock_after + 1) :]
    if (
        not settings.dynamic_termination
        or len(ballots) <= settings.deadlock_after
        or any(has_changed_votes(*pair) for pair in pairwise(ballots))
    ):
        return None
    evidence = Evidence(figure=settings.deadlock_after, threshold=settings.deadlock_after, note="jury_unmoved")
    return Ending(reason="jury_deadlocked", strategy="unmoved", evidence=evidence)


@mark_reads
def stop_after_last_round(state: JuryState, settings: JurySettings) -> Ending | None:
    """Stop after the last round, as a deadlock.

    Place this rule after the rule for a verdict.
    """
    if state["floor"] or state["round"] < settings.max_rounds:
        return None
    evidence = Evidence(figure=state["round"], threshold=settings.max_rounds, note="jury_rounds")
    return Ending(reason="jury_deadlocked", strategy="cap", evidence=evidence)


def stop_after_last_turn(state: JuryState) -> Ending | None:
    """Stop if no turn is left, as a deadlock.

    Place this rule after the rule for a verdict.
    """
    ending = stop_at_turn_cap(state)
    return ending and ending.model_copy(update={"reason": "jury_deadlocked"})


stop_at_jury_cap = stop_on_first(stop_after_last_round, mark_reads(stop_after_last_turn, stop_at_turn_cap))
