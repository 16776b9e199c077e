"""Hooks of the justice experiment."""

from ....state.justice import build_justice_result, format_dotted_key, parse_justice_result
from ..hooks import SEAT_SETTINGS, Hooks
from .bounds import count_attempts, count_questions, get_longest_overrides, make_offline_overrides
from .log import make_log_callbacks
from .measures import list_justice_measures
from .payoffs import build_payoff_chart, build_payoff_tables, list_payoff_tables, summarize_result
from .private_texts import collect_texts_with_memories
from .rankings import build_ranking_tables, list_ranking_tables
from .report import (
    build_round_charts,
    build_vote_chart,
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
    offline_overrides=make_offline_overrides,
    setting_key=format_dotted_key,
    forked_participants=update_participants,
    private_texts=collect_texts_with_memories,
    tool_settings=SEAT_SETTINGS,
    settings_reader=read_experiment_settings,
    callbacks=make_log_callbacks,
)
