"""When a jury is done: it has a verdict, it is deadlocked, or too few ballots could be had."""

from itertools import pairwise

from ..ending import Ending, Evidence, Promise
from ..ends import OUTAGE, UNAVAILABLE, all_absent, first_of, turns_capped
from ..positions.position import declared_after
from ..requirements import reading
from ..voting import ballots_of
from .channels import Judged
from .rules import JuryRules, needed
from .verdict import changed, is_ballot


@reading
def verdict_reached(state: Judged, rules: JuryRules) -> Ending | None:
    """As many jurors as a verdict takes voted alike; a run that always goes to its cap finds it there alone."""
    tally = state["polls"][-1].tally if state["polls"] else None
    if tally is None or tally.winner is None or not (rules.dynamic_termination or capped(state)):
        return None
    text = state["polls"][-1].options[tally.winner]
    bound = needed(rules.verdict, len(state["participants"]))
    evidence = Evidence(quote=text, figure=tally.totals[tally.winner], threshold=bound, note="jury_votes")
    return Ending(reason="verdict_reached", strategy="ballots", evidence=evidence, promise=Promise(kind="event"))


def unvoted(state: Judged) -> Ending | None:
    """Fewer than half of the jurors gave a valid vote in the last ballot."""
    poll = state["polls"][-1] if state["polls"] else None
    if poll is None or poll.tally is None or is_ballot(poll.tally):
        return None
    lost = [one.voter for one in ballots_of(state["ballots"], poll.number) if one.choice not in poll.options]
    votes, half = poll.tally.votes, poll.tally.voters / 2
    evidence = Evidence(quote=", ".join(lost), figure=votes, threshold=half, note="unvoted")
    return Ending(reason=UNAVAILABLE, strategy=OUTAGE, evidence=evidence)


def all_gone(state: Judged) -> Ending | None:
    """No juror could be reached any more, and there is no verdict."""
    found = all_absent(state)
    return found and found.model_copy(update={"strategy": OUTAGE})


abandoned = reading(all_gone, all_absent)


@reading
def unmoved(state: Judged, rules: JuryRules) -> Ending | None:
    """The last `unmoved` ballots changed nobody's vote."""
    last = declared_after(state["positions"])[-(rules.unmoved + 1) :]
    if not rules.dynamic_termination or len(last) <= rules.unmoved or any(changed(*two) for two in pairwise(last)):
        return None
    evidence = Evidence(figure=rules.unmoved, threshold=rules.unmoved, note="jury_unmoved")
    return Ending(reason="jury_deadlocked", strategy="unmoved", evidence=evidence)


@reading
def rounds_spent(state: Judged, rules: JuryRules) -> Ending | None:
    """The last round is over, and the ballot after it brought no verdict."""
    if state["floor"] or state["round"] < rules.max_rounds:
        return None
    evidence = Evidence(figure=state["round"], threshold=rules.max_rounds, note="jury_rounds")
    return Ending(reason="jury_deadlocked", strategy="cap", evidence=evidence)


def turns_spent(state: Judged) -> Ending | None:
    """No turn is left, and the last ballot brought no verdict."""
    found = turns_capped(state)
    return found and found.model_copy(update={"reason": "jury_deadlocked"})


capped = first_of(rounds_spent, reading(turns_spent, turns_capped))
"""No further round can be held."""
