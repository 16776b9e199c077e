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
"""Extra prompt tokens of a retry, for the text that says what was wrong with the last answer."""


def get_longest_overrides(settings: Settings) -> dict[str, Any]:
    """Return the settings to change so that nothing ends a rehearsal before its cap."""
    if isinstance(settings, JusticeSettings):
        voting_overrides = {"min_rounds_before_vote": settings.discussion.max_rounds, "force_vote_in_final_round": True}
        return {"voting": settings.voting.model_dump() | voting_overrides}
    return {"dynamic_termination": False} if hasattr(settings, "dynamic_termination") else {}


def list_possible_questions(calls: list[Call], settings: Settings, seats: int) -> list[Call]:
    """List the calls of a run to its cap, with the questions that only other runs ask."""
    questions = list(calls)
    rounds = max((call.round for call in calls), default=0)
    for purpose, limit in _count_questions(settings, seats, rounds).items():
        matching = [call for call in calls if call.purpose == purpose]
        if calls and len(matching) < limit:
            longest_call = max(matching or calls, key=lambda call: call.tokens).model_copy(update={"purpose": purpose})
            questions += [longest_call] * (limit - len(matching))
    return questions


def list_possible_attempts(calls: list[Call], settings: Settings) -> list[Call]:
    """List every question with all the attempts it may take.

    The prompt of a retry also says what was wrong with the last answer.
    """
    return [
        attempt
        for call in calls
        for attempt in _repeat_call(call, _count_attempts(settings).get(call.purpose, settings.statement_tries))
    ]


def list_rejected_calls(calls: list[Call]) -> list[Call]:
    """List the calls that a server may reject unread: halved prompts and unknown settings.

    They cost no tokens. A participant leaves a rejected setting out from then on, so each setting costs it at most one
    call.
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


def _count_questions(settings: Settings, seats: int, rounds: int) -> Mapping[str, int]:
    """Count by purpose the questions a run may ask, where a rehearsal to the cap may ask fewer."""
    if not isinstance(settings, JusticeSettings):
        votes = isinstance(settings, VotingSettings) and settings.has_vote
        uses_embeddings = isinstance(settings, ConvergenceSettings) and settings.convergence == "embedding"
        return {"consent": seats * votes, EMBEDDING_PURPOSE: rounds * uses_embeddings}
    discussion_settings, voting_settings, models = (
        settings.discussion,
        settings.voting,
        [participant for participant in settings.participants if participant.kind == "model"],
    )
    if voting_settings.decision_rule == "imposed":
        return {}
    polls = discussion_settings.max_rounds - voting_settings.min_rounds_before_vote + 1
    is_vote_forced, seats, other_models = (
        voting_settings.force_vote_in_final_round,
        len(models),
        min(len(models), len(settings.participants) - 1),
    )
    return {
        "initiation": seats * (polls - is_vote_forced),
        "confirmation": other_models * (polls - is_vote_forced) + seats * is_vote_forced,
        "ballot": seats * polls,
        "amount": seats * polls,
        "memory": 2 * seats,
    }


def _count_attempts(settings: Settings) -> Mapping[str, int]:
    """Count by purpose the attempts a question may take, where they differ from a statement's."""
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
