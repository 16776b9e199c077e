"""Hooks of the justice experiment: its document keys, and its tables of payoffs and rankings."""

from collections.abc import Mapping
from typing import Any

from ....prompts import load_phrases
from ....state.justice import PRINCIPLES, RankingChange, format_dollars, get_ballot_number, list_stage_rankings
from ....state.justice.result import JusticeResult, build_justice_result, parse_justice_result
from ...display.columns import TextRow, align_columns
from ..hooks import Hooks
from .log import make_log_callbacks
from .private_texts import collect_texts_with_memories
from .settings import read_experiment_settings
from .step_messages import format_ranking, translate_justice_phrase

PAYOFF_COLUMNS = ("distribution", "class", "income", "paid", "best", "cost", "phase1", "bank")
RANKING_COLUMNS = ("first", "post_explanation", "final", "last", "moved")
"""Columns of the two tables. Between `paid` and `best` stand the four principles by number."""


def build_justice_keys(state: Any) -> dict[str, Any]:
    """Build the experiment's own document keys, spelled as in its result."""
    return build_justice_result(state).model_dump(mode="json")


def list_closing_lines(document: Mapping[str, Any]) -> list[str]:
    """List the lines after the headline: the payoffs table, the rankings and their change."""
    result = parse_justice_result(document)
    return ["", *list_payoff_lines(result), "", *list_ranking_lines(result)]


def list_payoff_lines(result: JusticeResult) -> list[str]:
    """List the lines of the payoff table: class, payment, and the payment under each principle."""
    group = result.phase2
    if not group.payoffs:
        return []
    language = result.config.language
    headings = [translate_justice_phrase(language, f"payoffs.{key}") for key in PAYOFF_COLUMNS]
    rows = [
        ["", *headings[:4], "1", "2", "3", "4", *headings[4:]],
        *(_make_payoff_row(result, id) for id in group.payoffs),
    ]
    total = format_dollars(sum(payoff.payoff_cents for payoff in group.payoffs.values()))
    return [*align_columns(rows), translate_justice_phrase(language, "payoffs.total", total=total)]


def _make_payoff_row(result: JusticeResult, participant_id: str) -> TextRow:
    group, phase1 = result.phase2, result.phase1[participant_id]
    alternatives = group.alternative_earnings[participant_id]
    return [
        phase1.participant_name,
        group.chosen_distribution[participant_id],
        load_phrases("justice").translate_phrase(
            result.config.language, f"classes.{group.assigned_classes[participant_id]}"
        ),
        f"{group.payoffs[participant_id].income:,}",
        format_dollars(group.payoffs[participant_id].payoff_cents),
        *(format_dollars(outcome.payoff_cents) for outcome in alternatives.outcomes),
        ", ".join(str(get_ballot_number(principle)) for principle in alternatives.best),
        format_dollars(alternatives.cost_cents),
        format_dollars(phase1.total_earnings),
        format_dollars(group.final_banks[participant_id]),
    ]


def list_ranking_lines(result: JusticeResult) -> list[str]:
    """List the lines of the ranking table: each participant's four rankings and their distance."""
    language = result.config.language
    rows = [["", *(translate_justice_phrase(language, f"rankings.{key}") for key in RANKING_COLUMNS)]]
    overall_change = result.measures.changes[-1]
    for participant_id, phase1 in result.phase1.items():
        rankings = list_stage_rankings(phase1, result.phase2.final_rankings.get(participant_id))
        distance = str(overall_change.kendall[participant_id]) if participant_id in overall_change.kendall else "–"
        texts = [format_ranking(ranking, language) if ranking else "–" for ranking in rankings]
        rows.append([phase1.participant_name, *texts, distance])
    return [
        *align_columns(rows),
        *(format_change(change, language) for change in result.measures.changes),
        *_list_ceiling_warning(result),
    ]


def format_change(change: RankingChange, language: str) -> str:
    """Format one change of the rankings: distance, changed first places, certainty and exclusions."""
    if change.kendall_mean is None:
        return translate_justice_phrase(
            language, "rankings.no_change", **change.model_dump(include={"first", "second", "left_out"})
        )
    flip_count = sum(change.flips[row][column] for row in range(4) for column in range(4) if row != column)
    figures = {
        "distance": f"{change.kendall_mean:.2f}",
        "flips": flip_count,
        "certainty": f"{change.certainty_mean:+.2f}",
    }
    counts = change.model_dump(include={"first", "second", "counted", "left_out"})
    return translate_justice_phrase(language, "rankings.change", **figures, **counts)


def _list_ceiling_warning(result: JusticeResult) -> list[str]:
    ceiling = result.measures.ceiling
    if not ceiling.warning or ceiling.principle is None or ceiling.share is None:
        return []
    number = PRINCIPLES.index(ceiling.principle) + 1
    return [
        translate_justice_phrase(
            result.config.language, "rankings.ceiling", share=f"{ceiling.share:.0%}", number=number
        )
    ]


HOOKS = Hooks(
    keys=lambda saved_run, _: build_justice_keys(saved_run.state),
    closing_lines=list_closing_lines,
    private_texts=collect_texts_with_memories,
    settings_reader=read_experiment_settings,
    callbacks=make_log_callbacks,
)
