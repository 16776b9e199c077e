"""Worst case of a run: every question that a run may ask, with all its attempts."""

from collections.abc import Iterator, Mapping
from typing import Any

from ...models.embeddings import MAX_ATTEMPTS
from ...models.error_classification import OPTIONAL_SETTINGS
from ...nodes.ask.attempt import MAX_HALVINGS
from ...state.call_record import EMBEDDING_PURPOSE, Call
from ...state.consensus import ConvergenceSettings
from ...state.justice import JusticeSettings
from ...state.settings import Settings
from ...state.voting import VotingSettings

RETRY_TOKENS = 300
"""Extra prompt tokens of a retry, which explain the fault of the last answer."""


def get_longest_overrides(settings: Settings) -> dict[str, Any]:
    """Return the settings that let a rehearsal run to its cap."""
    if isinstance(settings, JusticeSettings):
        voting_overrides = {"min_rounds_before_vote": settings.discussion.max_rounds, "force_vote_in_final_round": True}
        return {"voting": settings.voting.model_dump() | voting_overrides}
    return {"dynamic_termination": False} if hasattr(settings, "dynamic_termination") else {}


def list_possible_questions(calls: list[Call], settings: Settings, seat_count: int) -> list[Call]:
    """Return the calls of a run to its cap, and the questions that only other runs may ask."""
    questions = list(calls)
    round_count = max((call.round for call in calls), default=0)
    for purpose, question_count in _count_questions(settings, seat_count, round_count).items():
        matching_calls = [call for call in calls if call.purpose == purpose]
        if calls and len(matching_calls) < question_count:
            longest_call = max(matching_calls or calls, key=lambda call: call.tokens).model_copy(
                update={"purpose": purpose}
            )
            questions += [longest_call] * (question_count - len(matching_calls))
    return questions


def list_possible_attempts(calls: list[Call], settings: Settings) -> list[Call]:
    """List every possible attempt at these calls.

    A retry has a longer prompt, which also explains the fault of the last answer.
    """
    return [
        attempt
        for call in calls
        for attempt in _repeat_call(call, _count_attempts(settings).get(call.purpose, settings.statement_tries))
    ]


def list_rejected_calls(calls: list[Call]) -> list[Call]:
    """List the calls that a server may reject unread: halved prompts and unknown settings.

    They cost no tokens. Each setting costs a participant at most one call, because later calls omit it.
    """
    chat_calls = [call for call in calls if call.purpose != EMBEDDING_PURPOSE]
    rejected_call = Call(purpose="refused")
    return [rejected_call] * (
        MAX_HALVINGS * len(chat_calls) + len(OPTIONAL_SETTINGS) * len({(call.who, call.model) for call in chat_calls})
    )


def _repeat_call(call: Call, attempts: int) -> Iterator[Call]:
    yield call
    for _ in range(1, attempts):
        yield call.model_copy(update={"input_tokens": call.input_tokens + RETRY_TOKENS})


def _count_questions(settings: Settings, seat_count: int, round_count: int) -> Mapping[str, int]:
    """Return the highest number of questions by purpose, where a rehearsal to the cap may ask fewer."""
    if not isinstance(settings, JusticeSettings):
        has_vote = isinstance(settings, VotingSettings) and settings.has_vote
        uses_embeddings = isinstance(settings, ConvergenceSettings) and settings.convergence == "embedding"
        return {"consent": seat_count * has_vote, EMBEDDING_PURPOSE: round_count * uses_embeddings}
    discussion_settings, voting_settings, model_seats = (
        settings.discussion,
        settings.voting,
        [participant for participant in settings.participants if participant.kind == "model"],
    )
    if voting_settings.decision_rule == "imposed":
        return {}
    poll_count = discussion_settings.max_rounds - voting_settings.min_rounds_before_vote + 1
    is_vote_forced, seat_count, other_model_count = (
        voting_settings.force_vote_in_final_round,
        len(model_seats),
        min(len(model_seats), len(settings.participants) - 1),
    )
    return {
        "initiation": seat_count * (poll_count - is_vote_forced),
        "confirmation": other_model_count * (poll_count - is_vote_forced) + seat_count * is_vote_forced,
        "ballot": seat_count * poll_count,
        "amount": seat_count * poll_count,
        "memory": 2 * seat_count,
    }


def _count_attempts(settings: Settings) -> Mapping[str, int]:
    """Return the highest number of attempts by purpose, where it differs from that of a statement."""
    if not isinstance(settings, JusticeSettings):
        return {EMBEDDING_PURPOSE: MAX_ATTEMPTS}
    discussion_settings, voting_settings = settings.discussion, settings.voting
    base_attempts = 1 + discussion_settings.max_participant_retries
    return {
        "comprehension": settings.checks.comprehension_tries,
        "ranking": base_attempts,
        "explanation": base_attempts,
        "choice": base_attempts + discussion_settings.max_constraint_correction_attempts,
        "reasoning": discussion_settings.reasoning_max_retries,
        "initiation": voting_settings.voting_retry_limit,
        "confirmation": voting_settings.voting_retry_limit,
        "ballot": voting_settings.principle_extraction_retries,
        "amount": voting_settings.amount_extraction_retries,
        "memory": settings.memory.max_memory_retries,
    }
