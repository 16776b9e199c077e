"""Bounds of a justice experiment for estimates: longest run, and maximum questions and attempts."""

from collections.abc import Mapping
from typing import Any

from ....state.justice import JusticeSettings


def get_longest_overrides(settings: JusticeSettings) -> dict[str, Any]:
    """Return the settings that make the group vote only in the last round."""
    late_vote_settings = {"min_rounds_before_vote": settings.discussion.max_rounds, "force_vote_in_final_round": True}
    return {"voting": settings.voting.model_dump() | late_vote_settings}


def count_questions(settings: JusticeSettings) -> Mapping[str, int]:
    """Count the questions of votes and memories that a run may ask, by purpose."""
    voting = settings.voting
    if voting.decision_rule == "imposed":
        return {}
    seat_count = sum(participant.kind == "model" for participant in settings.participants)
    poll_count = settings.discussion.max_rounds - voting.min_rounds_before_vote + 1
    free_poll_count = poll_count - voting.force_vote_in_final_round  # polls that a participant starts
    confirming_count = min(seat_count, len(settings.participants) - 1)
    return {
        "initiation": seat_count * free_poll_count,
        "confirmation": confirming_count * free_poll_count + seat_count * voting.force_vote_in_final_round,
        "ballot": seat_count * poll_count,
        "amount": seat_count * poll_count,
        "memory": 2 * seat_count,
    }


def count_attempts(settings: JusticeSettings) -> Mapping[str, int]:
    """Count the attempts at a question, by purpose."""
    discussion, voting = settings.discussion, settings.voting
    attempts = 1 + discussion.max_participant_retries
    return {
        "comprehension": settings.checks.comprehension_tries,
        "ranking": attempts,
        "explanation": attempts,
        "choice": attempts + discussion.max_constraint_correction_attempts,
        "reasoning": discussion.reasoning_max_retries,
        "initiation": voting.voting_retry_limit,
        "confirmation": voting.voting_retry_limit,
        "ballot": voting.principle_extraction_retries,
        "amount": voting.amount_extraction_retries,
        "memory": settings.memory.max_memory_retries,
    }


def make_offline_overrides(settings: JusticeSettings) -> dict[str, Any]:
    """Make the settings that let the rehearsal play every participant."""
    offline = {"model": "", "kind": "model"}
    return {"participants": [participant.model_dump() | offline for participant in settings.participants]}
