"""What of Phase 1 a participant is reminded of, and what Phase 1 leaves in its memory."""

from collections.abc import Sequence

from ...state.justice import (
    QUESTIONS,
    ApplicationResult,
    ComprehensionAnswer,
    Counterfactual,
    DistributionSet,
    Phase1Result,
    Ranking,
    SharingRule,
    dollars,
    select,
    shown_rules,
)
from ...state.text import clipped
from .addressee import Hearer

RANKINGS = ("initial_ranking", "post_explanation_ranking", "final_ranking")
"""The stages of Phase 1 in which the principles are ranked."""


def own_phase1(hearer: Hearer, alone: Phase1Result | None) -> str:
    """A participant's own rankings and results of Phase 1, a line each."""
    if alone is None:
        return ""
    rankings = [_ranked(hearer, stage, getattr(alone, stage)) for stage in RANKINGS]
    results = [_applied(hearer, one) for one in alone.application_results]
    return "\n".join([hearer.say("group.own"), *rankings, *results])


def _ranked(hearer: Hearer, stage: str, ranking: Ranking | None) -> str:
    name = hearer.say(f"stages.{stage}")
    if ranking is None or ranking.defaulted:
        return hearer.say("group.own_ranking_missing", stage=name)
    certainty = hearer.say(f"certainties.{ranking.certainty}")
    return hearer.say("group.own_ranking", stage=name, order=hearer.order(ranking), certainty=certainty)


def _applied(hearer: Hearer, result: ApplicationResult) -> str:
    values: dict[str, object] = {
        "round": result.round,
        "class": hearer.say(f"classes.{result.assigned_class}"),
        "income": f"{result.income:,}",
        "paid": hearer.paid(result.payoff_cents, result.round),
    }
    if result.choice is None:
        return hearer.say("group.own_result_missing", **values)
    return hearer.say("group.own_result", rule=hearer.rule(result.choice.rule), **values)


def ranking_line(hearer: Hearer, stage: str, ranking: Ranking) -> str:
    """What a ranking leaves in memory."""
    name = hearer.say(f"stages.{stage}")
    if ranking.defaulted:
        return hearer.say("memory.ranking_missing", stage=name)
    certainty = hearer.say(f"certainties.{ranking.certainty}")
    return hearer.say("memory.ranking", stage=name, order=hearer.order(ranking), certainty=certainty)


def comprehension_lines(hearer: Hearer, answers: Sequence[ComprehensionAnswer]) -> list[str]:
    """What the comprehension test leaves in memory, once all was asked."""
    if len(answers) < QUESTIONS:
        return []
    right = sum(one.right for one in answers)
    return [hearer.say("memory.comprehension", right=right, of=len(answers))]


def comment_line(hearer: Hearer, comment: str) -> str:
    """What the explanation leaves in memory: one's own comment, clipped like a statement."""
    memory = hearer.rules.memory
    text = " ".join(comment.split())
    kept = clipped(text, memory.statement_max_length) if memory.enable_truncation else text
    return hearer.say("memory.explanation", text=kept) if kept else hearer.say("memory.explanation_missing")


def picks(hearer: Hearer, table: DistributionSet) -> str:
    """What each principle picks from a set, at every amount that makes a difference."""
    return "\n".join(
        hearer.say("table.pick", rule=hearer.rule(rule), distribution=select(table, rule).distribution)
        for rule in hearer.listed(shown_rules(table))
    )


def alternative_lines(hearer: Hearer, outcomes: list[Counterfactual], draw: int) -> str:
    """What the same class would have been paid under other rules, a line each."""
    return "\n".join(
        hearer.say("table.alternative", **alternative(hearer, each, draw)) for each in hearer.listed(outcomes)
    )


def difference_lines(hearer: Hearer, outcomes: list[Counterfactual], draw: int, actual: int) -> str:
    """The same, each with its difference from the `actual` payoff in cents."""
    return "\n".join(
        hearer.say(
            "table.difference",
            difference=difference(hearer, each.payoff_cents - actual),
            **alternative(hearer, each, draw),
        )
        for each in hearer.listed(outcomes)
    )


def alternative(hearer: Hearer, each: Counterfactual, draw: int) -> dict[str, object]:
    """A rule, what it would have picked, and what that would have left."""
    return {
        "rule": hearer.rule(SharingRule(principle=each.principle, constraint_amount=each.constraint_amount)),
        "distribution": each.distribution,
        "income": f"{each.income:,}",
        "outcome": hearer.paid(each.payoff_cents, draw, "outcome"),
    }


def difference(hearer: Hearer, cents: int) -> str:
    """A payoff's distance from the actual one, in words."""
    if cents == 0:
        return hearer.say("table.same")
    return hearer.say("table.more" if cents > 0 else "table.less", amount=dollars(abs(cents)))


def picked(hearer: Hearer, result: ApplicationResult) -> str:
    """Which distribution paid an application, and why."""
    if result.choice is None or result.selection is None:
        return hearer.say("feedback.defaulted", distribution=result.distribution)
    met = result.selection.constraint_satisfied
    key = "picked" if met is None else "satisfied" if met else "unsatisfied"
    return hearer.say(f"feedback.{key}", rule=hearer.rule(result.choice.rule), distribution=result.distribution)
