"""Stopping rules of a Delphi: convergence, stable estimates, or agreement of enough experts.

A round with too few estimates does not end a Delphi by these rules. If it is the last round, the run counts as
unfinished.
"""

from itertools import pairwise

from ..availability import OUTAGE, list_missed_turns
from ..budget import is_budget_spent
from ..channel_requirements import mark_reads
from ..ending import PARTICIPANTS_UNAVAILABLE, Ending, Evidence
from ..stopping.rules import make_budget_ending, stop_at_round_cap
from .channels import DelphiState
from .estimate import RoundFeedback, has_enough_estimates
from .settings import DelphiSettings

STABLE_ROUNDS = 2
"""Number of rounds in a row without a change after which a Delphi ends."""


@mark_reads
def stop_on_convergence(state: DelphiState, settings: DelphiSettings) -> Ending | None:
    """Stop if the interquartile range of the last round is within `max_spread`.

    Without `dynamic_termination`, never stop.
    """
    feedback = _find_last_feedback(state)
    if not settings.dynamic_termination or feedback is None or feedback.median is None:
        return None
    range_width = (feedback.third_quartile or 0.0) - (feedback.first_quartile or 0.0)
    bound = settings.compute_max_range(feedback.median)
    if range_width > bound:
        return None
    evidence = Evidence(figure=range_width, threshold=bound, note="delphi_range")
    return Ending(reason="estimates_converged", strategy="spread", evidence=evidence)


@mark_reads
def stop_on_stable_estimates(state: DelphiState, settings: DelphiSettings) -> Ending | None:
    """Stop if the median hardly moved in the last two rounds. With options, the counts must be unchanged.

    The limit is `max_median_shift`. Without `dynamic_termination`, never stop.
    """
    rounds = [
        feedback
        for feedback in state["feedback"][-(STABLE_ROUNDS + 1) :]
        if has_enough_estimates(feedback, state["participants"])
    ]
    if not settings.dynamic_termination or [feedback.round for feedback in rounds] != list(
        range(state["round"] - (STABLE_ROUNDS + 1) + 1, state["round"] + 1)
    ):
        return None
    if any(has_median_moved(*pair, settings.max_median_shift) for pair in pairwise(rounds)):
        return None
    evidence = Evidence(figure=STABLE_ROUNDS, threshold=STABLE_ROUNDS, note="rounds without a move")
    return Ending(reason="estimates_stable", strategy="stability", evidence=evidence)


def has_median_moved(before: RoundFeedback, after: RoundFeedback, stable: float) -> bool:
    """Return whether the median moved by more than a share of the pooled 5–95 % range.

    `stable`: the share. The range is that of the round `after`. Estimates of options have no median: return whether
    their counts differ.
    """
    if before.median is None or after.median is None:
        return before.counts != after.counts
    return abs(after.median - before.median) > stable * (after.pooled["95"] - after.pooled["5"])


@mark_reads
def stop_on_expert_agreement(state: DelphiState, settings: DelphiSettings) -> Ending | None:
    """Stop if the most frequent answer's share in the last round reaches `agreement_share`.

    Without `dynamic_termination`, never stop.
    """
    feedback = _find_last_feedback(state)
    if not settings.dynamic_termination or feedback is None or not feedback.counts:
        return None
    share = max(feedback.counts.values()) / feedback.estimate_count
    if share < settings.agreement_share:
        return None
    evidence = Evidence(figure=share, threshold=settings.agreement_share, note="delphi_share")
    return Ending(reason="experts_agreed", strategy="agreement", evidence=evidence)


def stop_on_few_estimates(state: DelphiState) -> Ending | None:
    """Stop after the last round if fewer than two experts, or fewer than half, gave an estimate."""
    if not stop_at_round_cap(state) or _find_last_feedback(state):
        return None
    incidents = [incident for incident in list_missed_turns(state["incidents"]) if incident.round == state["round"]]
    evidence = Evidence(
        turns=[incident.turn for incident in incidents],
        quote=", ".join(dict.fromkeys(incident.who for incident in incidents)),
        figure=sum(estimate.round == state["round"] for estimate in state["estimates"]),
        threshold=max(2, len(state["participants"]) / 2),
    )
    return Ending(reason=PARTICIPANTS_UNAVAILABLE, strategy=OUTAGE, evidence=evidence)


stop_on_short_round = mark_reads(stop_on_few_estimates, stop_at_round_cap)


def stop_if_round_unaffordable(state: DelphiState) -> Ending | None:
    """Stop if the budget cannot pay for another round of estimates by all experts."""
    model_count = sum(participant.kind == "model" for participant in state["participants"])
    return (
        make_budget_ending(state) if is_budget_spent(state["settings"], state["calls"], new_calls=model_count) else None
    )


def _find_last_feedback(state: DelphiState) -> RoundFeedback | None:
    feedback = state["feedback"][-1] if state["feedback"] else None
    return (
        feedback
        if feedback and feedback.round == state["round"] and has_enough_estimates(feedback, state["participants"])
        else None
    )
