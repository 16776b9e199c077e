"""Phase 1 in later prompts: a participant's own results and memory lines."""

from collections.abc import Sequence

from ...state.justice import (
    QUESTION_COUNT,
    ApplicationResult,
    ComprehensionAnswer,
    Counterfactual,
    DistributionSet,
    Phase1Result,
    Ranking,
    SharingRule,
    format_dollars,
    list_shown_rules,
    select_distribution,
)
from ...state.text import clip_text
from .addressee import Addressee

RANKING_STAGES = ("initial_ranking", "post_explanation_ranking", "final_ranking")
"""Stages of Phase 1 in which the principles are ranked."""


def describe_phase1(addressee: Addressee, phase1: Phase1Result | None) -> str:
    """Describe a participant's own rankings and results of Phase 1, a line each."""
    if phase1 is None:
        return ""
    ranking_lines = [_describe_ranking(addressee, stage, getattr(phase1, stage)) for stage in RANKING_STAGES]
    result_lines = [_describe_application(addressee, result) for result in phase1.application_results]
    return "\n".join([addressee.translate_phrase("group.own"), *ranking_lines, *result_lines])


def _describe_ranking(addressee: Addressee, stage: str, ranking: Ranking | None) -> str:
    stage_name = addressee.translate_phrase(f"stages.{stage}")
    if ranking is None or ranking.defaulted:
        return addressee.translate_phrase("group.own_ranking_missing", stage=stage_name)
    certainty = addressee.translate_phrase(f"certainties.{ranking.certainty}")
    return addressee.translate_phrase(
        "group.own_ranking", stage=stage_name, order=addressee.format_ranking(ranking), certainty=certainty
    )


def _describe_application(addressee: Addressee, result: ApplicationResult) -> str:
    values: dict[str, object] = {
        "round": result.round,
        "class": addressee.translate_phrase(f"classes.{result.assigned_class}"),
        "income": f"{result.income:,}",
        "paid": addressee.describe_payoff(result.payoff_cents, result.round),
    }
    if result.choice is None:
        return addressee.translate_phrase("group.own_result_missing", **values)
    return addressee.translate_phrase("group.own_result", rule=addressee.format_rule(result.choice.rule), **values)


def format_ranking_line(addressee: Addressee, stage: str, ranking: Ranking) -> str:
    """Format the memory line of a ranking."""
    stage_name = addressee.translate_phrase(f"stages.{stage}")
    if ranking.defaulted:
        return addressee.translate_phrase("memory.ranking_missing", stage=stage_name)
    certainty = addressee.translate_phrase(f"certainties.{ranking.certainty}")
    return addressee.translate_phrase(
        "memory.ranking", stage=stage_name, order=addressee.format_ranking(ranking), certainty=certainty
    )


def list_comprehension_lines(addressee: Addressee, answers: Sequence[ComprehensionAnswer]) -> list[str]:
    """Return the memory line of the comprehension test, or an empty list while questions remain."""
    if len(answers) < QUESTION_COUNT:
        return []
    right_count = sum(answer.right for answer in answers)
    return [addressee.translate_phrase("memory.comprehension", right=right_count, of=len(answers))]


def format_comment_line(addressee: Addressee, comment: str) -> str:
    """Format the memory line of the explanation: the participant's comment, clipped like a statement."""
    memory = addressee.settings.memory
    text = " ".join(comment.split())
    shown_text = clip_text(text, memory.statement_max_length) if memory.enable_truncation else text
    return (
        addressee.translate_phrase("memory.explanation", text=shown_text)
        if shown_text
        else addressee.translate_phrase("memory.explanation_missing")
    )


def describe_picks(addressee: Addressee, table: DistributionSet) -> str:
    """Describe the pick of each principle from a set, at every amount that makes a difference."""
    return "\n".join(
        addressee.translate_phrase(
            "table.pick", rule=addressee.format_rule(rule), distribution=select_distribution(table, rule).distribution
        )
        for rule in addressee.sort_by_presentation(list_shown_rules(table))
    )


def describe_alternatives(addressee: Addressee, outcomes: list[Counterfactual], draw: int) -> str:
    """Describe the payoffs of the same class under other rules, a line each."""
    return "\n".join(
        addressee.translate_phrase("table.alternative", **collect_alternative_values(addressee, outcome, draw))
        for outcome in addressee.sort_by_presentation(outcomes)
    )


def describe_differences(addressee: Addressee, outcomes: list[Counterfactual], draw: int, actual: int) -> str:
    """Describe the payoffs under other rules and their difference from `actual` cents, a line each."""
    return "\n".join(
        addressee.translate_phrase(
            "table.difference",
            difference=describe_difference(addressee, outcome.payoff_cents - actual),
            **collect_alternative_values(addressee, outcome, draw),
        )
        for outcome in addressee.sort_by_presentation(outcomes)
    )


def collect_alternative_values(addressee: Addressee, counterfactual: Counterfactual, draw: int) -> dict[str, object]:
    """Return a rule, its pick, and the payoff of that pick, as values for a phrase."""
    return {
        "rule": addressee.format_rule(
            SharingRule(principle=counterfactual.principle, constraint_amount=counterfactual.constraint_amount)
        ),
        "distribution": counterfactual.distribution,
        "income": f"{counterfactual.income:,}",
        "outcome": addressee.describe_payoff(counterfactual.payoff_cents, draw, "outcome"),
    }


def describe_difference(addressee: Addressee, cents: int) -> str:
    """Describe the difference of a payoff from the actual one."""
    if cents == 0:
        return addressee.translate_phrase("table.same")
    return addressee.translate_phrase("table.more" if cents > 0 else "table.less", amount=format_dollars(abs(cents)))


def explain_pick(addressee: Addressee, result: ApplicationResult) -> str:
    """Explain which distribution paid an application, and why."""
    if result.choice is None or result.selection is None:
        return addressee.translate_phrase("feedback.defaulted", distribution=result.distribution)
    is_satisfied = result.selection.constraint_satisfied
    key = "picked" if is_satisfied is None else "satisfied" if is_satisfied else "unsatisfied"
    return addressee.translate_phrase(
        f"feedback.{key}", rule=addressee.format_rule(result.choice.rule), distribution=result.distribution
    )
