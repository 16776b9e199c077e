"""What a run cost, by stage and by model: calls, tokens, time, money."""

from collections.abc import Callable, Mapping, Sequence

from ...state.incident import Call
from ...state.settings import Prices
from .blocks import Cell, Figure, Note, Table, figure
from .page import Page
from .section import Block

Column = Callable[[Sequence[Call]], Figure]
"""The value of a column for a group of calls."""

COLUMNS: Mapping[str, Column] = {
    "calls": lambda calls: figure(len(calls)),
    "failed": lambda calls: figure(sum(one.outcome != "ok" for one in calls)),
    "input": lambda calls: figure(sum(one.input_tokens for one in calls)),
    "cached": lambda calls: figure(sum(one.cached_tokens for one in calls)),
    "output": lambda calls: figure(sum(one.output_tokens for one in calls)),
    "reasoning": lambda calls: figure(sum(one.reasoning_tokens for one in calls)),
    "time": lambda calls: figure(sum(one.ms for one in calls) / 1000, 1),
}
SELDOM = ("cached", "reasoning")
"""Columns that are left out where every value is 0."""


def cost(page: Page) -> Sequence[Block]:
    """One row for each purpose calls were made for, in the order of their first call; and for each model."""
    calls = [Call.model_validate(one) for one in page.document["calls"]]
    if not calls:
        return []
    columns = _columns(page, calls)
    blocks: list[Block] = [_table(page, "stage", columns, [(page.word("stages", one.purpose), one) for one in calls])]
    if len({one.model for one in calls}) > 1:
        blocks.append(_table(page, "model", columns, [(one.model, one) for one in calls]))
    source = (page.document["rules"].get("prices") or {}).get("source")
    return [*blocks, Note(page.say("cost.prices", source=source.rstrip(".")))] if source else blocks


def _columns(page: Page, calls: Sequence[Call]) -> dict[str, Column]:
    columns = {name: of for name, of in COLUMNS.items() if name not in SELDOM or of(calls) != "0"}
    if given := page.document["rules"].get("prices"):
        prices = Prices.model_validate(given)
        columns["money"] = lambda calls: figure(prices.cost(list(calls)), 4)
    return columns


def _table(page: Page, by: str, columns: Mapping[str, Column], named: Sequence[tuple[str, Call]]) -> Table:
    groups: dict[str, list[Call]] = {}
    for name, call in named:
        groups.setdefault(name, []).append(call)

    def row(name: str, calls: Sequence[Call]) -> list[Cell]:
        return [name, *(of(calls) for of in columns.values())]

    head = [page.say(f"cost.{one}") for one in (by, *columns)]
    rows = [row(name, calls) for name, calls in groups.items()]
    return Table(page.say(f"cost.by_{by}"), head, rows, row(page.say("cost.total"), [call for _, call in named]))
