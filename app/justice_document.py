"""The document of a justice experiment, and what is shown of it at the end: payoffs, and how rankings moved."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..state.justice_report import JusticeResult, justice_result
from ..state.justice_result import stage_rankings
from ..state.measured import Change
from ..state.payoff import dollars
from ..state.principle import PRINCIPLES, number_of
from .justice_news import in_numbers

Row = Sequence[str]


def justice_keys(state: Any) -> dict[str, Any]:
    """The experiment's own keys, spelled as its result is."""
    return justice_result(state).model_dump(mode="json")


def closing_lines(document: Mapping[str, Any]) -> list[str]:
    """What is shown after the headline: the payoffs table, the rankings and their change."""
    result = JusticeResult.model_validate({key: document[key] for key in JusticeResult.model_fields})
    return ["", *payoff_lines(result), "", *ranking_lines(result)]


def payoff_lines(result: JusticeResult) -> list[str]:
    """Who was in which class and was paid what; under each principle's number what the class would have been paid."""
    group = result.phase2
    if not group.payoffs:
        return []
    head = ["", "distribution", "class", "income", "paid", "1", "2", "3", "4", "best", "cost", "Phase 1", "bank"]
    rows = [_paid(result, id) for id in group.payoffs]
    total = dollars(sum(one.payoff_cents for one in group.payoffs.values()))
    return [*aligned([head, *rows]), f"Group total ${total}."]


def _paid(result: JusticeResult, id: str) -> Row:
    group, alone = result.phase2, result.phase1[id]
    others = group.alternative_earnings[id]
    return [
        alone.participant_name,
        group.chosen_distribution[id],
        group.assigned_classes[id].replace("_", " "),
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
    rows = [["", "first", "after the explanation", "after the applications", "last", "moved"]]
    whole = result.measures.changes[-1]
    for id, alone in result.phase1.items():
        rankings = stage_rankings(alone, result.phase2.final_rankings.get(id))
        moved = str(whole.kendall[id]) if id in whole.kendall else "–"
        shown = [in_numbers(one) if one else "–" for one in rankings]
        rows.append([alone.participant_name, *shown, moved])
    return [*aligned(rows), *(moved_line(one) for one in result.measures.changes), *_ceiling(result)]


def moved_line(change: Change) -> str:
    """One step of the rankings in a line: mean distance, changed first places, certainty, and who was left out."""
    if change.kendall_mean is None:
        return f"Ranking {change.first} to {change.second}: none to compare ({change.left_out} left out)."
    flips = sum(change.flips[row][column] for row in range(4) for column in range(4) if row != column)
    return (
        f"Ranking {change.first} to {change.second}: mean distance {change.kendall_mean:.2f} of 6, "
        f"{flips} of {change.counted} with another first place, certainty {change.certainty_mean:+.2f} "
        f"({change.left_out} left out)."
    )


def _ceiling(result: JusticeResult) -> list[str]:
    found = result.measures.ceiling
    if not found.warning or found.principle is None or found.share is None:
        return []
    first = PRINCIPLES.index(found.principle) + 1
    return [f"Ceiling: {found.share:.0%} began with principle {first} first; movement towards it cannot show."]


def aligned(rows: Sequence[Row]) -> list[str]:
    """Rows as columns of equal width; Chinese characters take two places."""
    widths = [max(_width(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _width(text: str) -> int:
    return sum(2 if "\u1100" <= sign <= "\uffdc" else 1 for sign in text)
