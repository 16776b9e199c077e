"""The hooks of the justice experiment: its keys, and its tables of payoffs and rankings."""

from collections.abc import Mapping
from typing import Any

from ...prompts import phrases
from ...state.justice import PRINCIPLES, Change, dollars, number_of, stage_rankings
from ...state.justice.result import JusticeResult, justice_result, result_in
from ..display.aligned import Row, aligned
from ..hooks import Hooks
from .log import listening
from .news import in_numbers, say
from .private import with_memories
from .settings import experiment_rules

PAYOFFS = ("distribution", "class", "income", "paid", "best", "cost", "phase1", "bank")
RANKINGS = ("first", "post_explanation", "final", "last", "moved")
"""The columns of the two tables; between `paid` and `best` stand the four principles by number."""


def justice_keys(state: Any) -> dict[str, Any]:
    """The experiment's own keys, spelled as its result is."""
    return justice_result(state).model_dump(mode="json")


def closing_lines(document: Mapping[str, Any]) -> list[str]:
    """What is shown after the headline: the payoffs table, the rankings and their change."""
    result = result_in(document)
    return ["", *payoff_lines(result), "", *ranking_lines(result)]


def payoff_lines(result: JusticeResult) -> list[str]:
    """Who was in which class and was paid what; under each principle's number what the class would have been paid."""
    group = result.phase2
    if not group.payoffs:
        return []
    language = result.config.language
    named = [say(language, f"payoffs.{key}") for key in PAYOFFS]
    rows = [["", *named[:4], "1", "2", "3", "4", *named[4:]], *(_paid(result, id) for id in group.payoffs)]
    total = dollars(sum(one.payoff_cents for one in group.payoffs.values()))
    return [*aligned(rows), say(language, "payoffs.total", total=total)]


def _paid(result: JusticeResult, id: str) -> Row:
    group, alone = result.phase2, result.phase1[id]
    others = group.alternative_earnings[id]
    return [
        alone.participant_name,
        group.chosen_distribution[id],
        phrases("justice").say(result.config.language, f"classes.{group.assigned_classes[id]}"),
        f"{group.payoffs[id].income:,}",
        dollars(group.payoffs[id].payoff_cents),
        *(dollars(each.payoff_cents) for each in others.outcomes),
        ", ".join(str(number_of(each)) for each in others.best),
        dollars(others.cost_cents),
        dollars(alone.total_earnings),
        dollars(group.final_banks[id]),
    ]


def ranking_lines(result: JusticeResult) -> list[str]:
    """Everyone's four rankings, and how far they moved."""
    language = result.config.language
    rows = [["", *(say(language, f"rankings.{key}") for key in RANKINGS)]]
    whole = result.measures.changes[-1]
    for id, alone in result.phase1.items():
        rankings = stage_rankings(alone, result.phase2.final_rankings.get(id))
        moved = str(whole.kendall[id]) if id in whole.kendall else "–"
        shown = [in_numbers(one, language) if one else "–" for one in rankings]
        rows.append([alone.participant_name, *shown, moved])
    return [*aligned(rows), *(moved_line(one, language) for one in result.measures.changes), *_ceiling(result)]


def moved_line(change: Change, language: str) -> str:
    """One step of the rankings in a line: mean distance, changed first places, certainty, and who was left out."""
    if change.kendall_mean is None:
        return say(language, "rankings.no_change", **change.model_dump(include={"first", "second", "left_out"}))
    flips = sum(change.flips[row][column] for row in range(4) for column in range(4) if row != column)
    figures = {"distance": f"{change.kendall_mean:.2f}", "flips": flips, "certainty": f"{change.certainty_mean:+.2f}"}
    counts = change.model_dump(include={"first", "second", "counted", "left_out"})
    return say(language, "rankings.change", **figures, **counts)


def _ceiling(result: JusticeResult) -> list[str]:
    found = result.measures.ceiling
    if not found.warning or found.principle is None or found.share is None:
        return []
    first = PRINCIPLES.index(found.principle) + 1
    return [say(result.config.language, "rankings.ceiling", share=f"{found.share:.0%}", number=first)]


HOOKS = Hooks(
    keys=lambda saved, _: justice_keys(saved.state),
    closing=closing_lines,
    private=with_memories,
    rules=experiment_rules,
    callbacks=listening,
)
