"""Count and outcome of answers that participants gave alone."""

from ...prompts import get_term
from ...state import (
    PARTICIPANTS_UNAVAILABLE,
    Ending,
    Evidence,
    IndependentSettings,
    IndependentState,
    Outcome,
    Update,
    compute_independent_answer,
    get_stop_basis,
)
from ..outcome import is_rehearsed

ANSWER_REASON = "answered_alone"
"""Reason of an ending with at least one recorded answer, or without any planned answer."""


async def count_answers(state: IndependentState, settings: IndependentSettings) -> Update:
    """Record the most frequent answer so far as the run's answer.

    Reads positions; writes answer.
    """
    return Update(answer=compute_independent_answer(state["positions"], settings))


async def conclude_alone(state: IndependentState, settings: IndependentSettings) -> Update:
    """Write the outcome. The run counts as failed if it needed answers and no participant gave one.

    Reads settings, record and positions; writes outcome.
    """
    count = sum(position.turn > 0 for position in state["positions"])
    reason = ANSWER_REASON if count or not settings.rounds else PARTICIPANTS_UNAVAILABLE
    strategy = "protocol" if reason == ANSWER_REASON else "availability"
    ending = Ending(reason=reason, strategy=strategy, evidence=Evidence(figure=count, note="answers given"))
    outcome = Outcome(
        reason=reason,
        strategy=ending.strategy,
        evidence=ending.evidence,
        basis=get_stop_basis(ending),
        status="completed" if reason == ANSWER_REASON else "failed",
        headline=get_term(settings.language, "headline", reason, count=count),
        rehearsal=is_rehearsed(state["calls"]),
        replayed=bool(settings.replay),
    )
    return Update(outcome=outcome)
