"""Hooks of the justice experiment: its document keys, and its tables of payoffs and rankings."""

from collections.abc import Mapping
from typing import Any

from ....prompts import load_phrases
from ....state.justice import (
    PRINCIPLES,
    RankingChange,
    format_dollars,
    format_dotted_key,
    get_ballot_number,
    list_stage_rankings,
)
from ....state.justice.result import JusticeResult, build_justice_result, parse_justice_result
from ...display.plain_text import TextRow, align_columns
from ..hooks import Hooks
from .bounds import count_attempts, count_questions, count_runs, get_longest_overrides, make_offline_overrides
from .log import make_log_callbacks
from .measures import list_justice_measures
from .payoffs import build_payoff_chart, list_payoff_tables, summarize_result
from .private_texts import collect_texts_with_memories
from .rankings import list_ranking_tables
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
from .step_messages import describe_step, format_ranking, translate_justice_phrase
from .table_columns import JUSTICE_COLUMNS
from .table_rows import build_justice_tables

PAYOFF_COLUMNS = ("distribution", "class", "income", "paid", "best", "cost", "phase1", "bank")
RANKING_COLUMNS = ("first", "post_explanation", "final", "last", "moved")
"""Names of the columns in the two tables. The four principles, by number, stand between `paid` and `best`."""


def list_closing_lines(document: Mapping[str, Any]) -> list[str]:
    """List the lines after the headline: the payoffs table, the rankings and their change."""
    result = parse_justice_result(document)
    return ["", *list_payoff_lines(result), "", *list_ranking_lines(result)]


def list_payoff_lines(result: JusticeResult) -> list[str]:
    """List the lines of the payoff table: class, payment, and the payment under each principle."""
    group, language = result.phase2, result.config.language
    if not group.payoffs:
        return []
    headings = [translate_justice_phrase(language, f"payoffs.{key}") for key in PAYOFF_COLUMNS]
    rows: list[TextRow] = [["", *headings[:4], "1", "2", "3", "4", *headings[4:]]]
    for id, payoff in group.payoffs.items():
        phase1, alternatives = result.phase1[id], group.alternative_earnings[id]
        rows.append(
            [
                phase1.participant_name,
                group.chosen_distribution[id],
                load_phrases("justice").translate_phrase(language, f"classes.{group.assigned_classes[id]}"),
                f"{payoff.income:,}",
                format_dollars(payoff.payoff_cents),
                *(format_dollars(outcome.payoff_cents) for outcome in alternatives.outcomes),
                ", ".join(str(get_ballot_number(principle)) for principle in alternatives.best),
                format_dollars(alternatives.cost_cents),
                format_dollars(phase1.total_earnings),
                format_dollars(group.final_banks[id]),
            ]
        )
    total = format_dollars(sum(payoff.payoff_cents for payoff in group.payoffs.values()))
    return [*align_columns(rows), translate_justice_phrase(language, "payoffs.total", total=total)]


def list_ranking_lines(result: JusticeResult) -> list[str]:
    """List the lines of the ranking table: each participant's four rankings and their distance."""
    language, changes, ceiling = result.config.language, result.measures.changes, result.measures.ceiling
    rows = [["", *(translate_justice_phrase(language, f"rankings.{key}") for key in RANKING_COLUMNS)]]
    for id, phase1 in result.phase1.items():
        rankings = list_stage_rankings(phase1, result.phase2.final_rankings.get(id))
        texts = [format_ranking(ranking, language) if ranking else "–" for ranking in rankings]
        rows.append([phase1.participant_name, *texts, str(changes[-1].kendall.get(id, "–"))])
    lines = [*align_columns(rows), *(format_change(change, language) for change in changes)]
    if ceiling.warning and ceiling.principle is not None and ceiling.share is not None:
        values = {"share": f"{ceiling.share:.0%}", "number": PRINCIPLES.index(ceiling.principle) + 1}
        lines.append(translate_justice_phrase(language, "rankings.ceiling", **values))
    return lines


def format_change(change: RankingChange, language: str) -> str:
    """Format one change between rankings: distance, changed first places, certainty and exclusions."""
    counts = change.model_dump(include={"first", "second", "counted", "left_out"})
    if change.kendall_mean is None:
        return translate_justice_phrase(language, "rankings.no_change", **counts)
    flip_count = sum(change.flips[row][column] for row in range(4) for column in range(4) if row != column)
    distance, certainty = f"{change.kendall_mean:.2f}", f"{change.certainty_mean:+.2f}"
    figures = {"distance": distance, "flips": flip_count, "certainty": certainty}
    return translate_justice_phrase(language, "rankings.change", **figures, **counts)


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
    closing_lines=list_closing_lines,
    longest_overrides=get_longest_overrides,
    question_counts=count_questions,
    attempt_counts=count_attempts,
    run_count=count_runs,
    offline_overrides=make_offline_overrides,
    setting_key=format_dotted_key,
    forked_participants=update_participants,
    private_texts=collect_texts_with_memories,
    settings_reader=read_experiment_settings,
    callbacks=make_log_callbacks,
)
