"""Kinds of failure of a run. Each counts as a wrong answer (intention to treat)."""

from collections.abc import Mapping
from typing import Any

from ...state import MODERATOR, PARTICIPANTS_UNAVAILABLE, UNCERTAIN_OUTCOMES, PositionSettings

FAILURES = ("no_answer", "cap", "refused", "unreachable", "stopped", "not_begun")
"""Kinds of failure, in the order of a report."""
MISSING_FAILURES = ("unreachable", "stopped", "not_begun")
"""Kinds of failure that say nothing about the answer. Bounds count such a run once as right and once as wrong."""
REFUSALS = ("refusal", "refused")
"""Kinds of incidents in which a model or its server refused a request."""
UNREACHABLE_OUTCOMES = (*UNCERTAIN_OUTCOMES, "unreachable", "rate_limit")
CUT_REASON = "budget_spent"


def find_failure(state: Mapping[str, Any], needs_answer: bool) -> str:
    """Return the kind of a run's failure; empty for a run that counts.

    `needs_answer`: whether the run must end with an answer. A run that a cap ended early still counts if its answer was
    declared after its last statement.
    """
    outcome = state["outcome"]
    if outcome is None or outcome.reason == PARTICIPANTS_UNAVAILABLE:
        kinds = [incident.kind for incident in state["incidents"][-1:]]
        kinds += [call.outcome for call in reversed(state["calls"]) if call.outcome != "ok"]
        known_kinds = {CUT_REASON: "cap"} | dict.fromkeys(REFUSALS, "refused")
        known_kinds |= dict.fromkeys(UNREACHABLE_OUTCOMES, "unreachable")
        return next((known_kinds[kind] for kind in kinds if kind in known_kinds), "no_answer")
    if not needs_answer:
        return ""
    if outcome.reason == CUT_REASON and not _has_answer_after_last_statement(state):
        return "cap"
    if state.get("answer"):
        return ""
    return "cap" if any(incident.kind == CUT_REASON for incident in state["incidents"]) else "no_answer"


def _has_answer_after_last_statement(state: Mapping[str, Any]) -> bool:
    """Return whether the run's answer reflects its last statement.

    Answers from a vote, a synthesizer or a blind protocol always do. Positions do if one was declared at or after that
    statement.
    """
    answer, settings = state.get("answer"), state["settings"]
    if answer is None or answer.by in ("vote", "synthesizer"):
        return answer is not None
    if isinstance(settings, PositionSettings) and settings.blind_round is not None:
        return True  # each of its statements is an answer
    turns = [statement.turn for statement in state["history"] if statement.speaker != MODERATOR]
    last_turn = max(turns, default=0)
    return any(position.when != "before" and position.turn >= last_turn for position in state["positions"])
