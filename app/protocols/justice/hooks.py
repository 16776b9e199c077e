"""Hooks of the justice experiment, with the bounds of its estimates."""

from collections.abc import Mapping
from typing import Any

from ....state.justice import JusticeSettings, build_justice_result, format_dotted_key, parse_justice_result
from ..hooks import SEAT_SETTINGS, Hooks
from .log import make_log_callbacks
from .measures import list_justice_measures
from .payoffs import build_payoff_chart, build_payoff_tables, list_payoff_tables, summarize_result
from .rankings import build_ranking_tables, list_ranking_tables
from .report import (
    build_round_charts,
    build_vote_chart,
    collect_texts_with_memories,
    describe_condition,
    find_agreement_round,
    list_applications,
    list_private_folds,
    list_vote_attempts,
)
from .settings import read_experiment_settings, update_participants
from .step_messages import describe_step
from .table_columns import JUSTICE_COLUMNS
from .table_rows import build_justice_tables


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


HOOKS = Hooks(
    keys=lambda saved_run, _: build_justice_result(saved_run.state).model_dump(mode="json"),
    step_lines=describe_step,
    summary=summarize_result,
    condition=describe_condition,
    charts=[build_payoff_chart, build_vote_chart],
    round_charts=build_round_charts,
    agreement_round=find_agreement_round,
    sections={
        "votes": [list_vote_attempts],
        "payoffs": [list_payoff_tables],
        "rankings": [list_ranking_tables],
        "applications": [list_applications],
    },
    measures=[*list_justice_measures()],
    tables=JUSTICE_COLUMNS,
    table_rows=lambda document: build_justice_tables(parse_justice_result(document)),
    record_sections={"private": [list_private_folds]},
    closing_blocks=lambda page: [*build_payoff_tables(page), *build_ranking_tables(page)],
    longest_overrides=get_longest_overrides,
    question_counts=count_questions,
    attempt_counts=count_attempts,
    run_count=lambda settings: settings.repeats,
    offline_overrides=lambda settings: {
        "participants": [seat.model_dump() | {"model": "", "kind": "model"} for seat in settings.participants]
    },
    setting_key=format_dotted_key,
    forked_participants=update_participants,
    private_texts=collect_texts_with_memories,
    tool_settings=SEAT_SETTINGS,
    settings_reader=read_experiment_settings,
    callbacks=make_log_callbacks,
)
