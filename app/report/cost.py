"""Cost of a run by stage and by model: calls, tokens, time, money."""

from collections.abc import Callable, Mapping, Sequence

from ...state.call_record import Call
from ...state.prices import Prices
from .blocks import Figure, Note, TableBlock, TableCell, format_figure
from .page import Page
from .section import Block

CostColumn = Callable[[Sequence[Call]], Figure]
"""Function that computes a column's value for a group of calls."""

COST_COLUMNS: Mapping[str, CostColumn] = {
    "calls": lambda calls: format_figure(len(calls)),
    "failed": lambda calls: format_figure(sum(call.outcome != "ok" for call in calls)),
    "input": lambda calls: format_figure(sum(call.input_tokens for call in calls)),
    "cached": lambda calls: format_figure(sum(call.cached_tokens for call in calls)),
    "output": lambda calls: format_figure(sum(call.output_tokens for call in calls)),
    "reasoning": lambda calls: format_figure(sum(call.reasoning_tokens for call in calls)),
    "time": lambda calls: format_figure(sum(call.ms for call in calls) / 1000, 1),
}
OPTIONAL_COLUMNS = ("cached", "reasoning")
"""Columns left out if every value is 0."""


def list_cost_tables(page: Page) -> Sequence[Block]:
    """Return a cost table by purpose and, if several models answered, one by model.

    Rows follow the order of first calls. A note names the source of the prices.
    """
    calls = [Call.model_validate(entry) for entry in page.document["calls"]]
    if not calls:
        return []
    columns = _choose_columns(page, calls)
    blocks: list[Block] = [
        _build_cost_table(page, "stage", columns, [(page.get_label("stages", call.purpose), call) for call in calls])
    ]
    if len({call.model for call in calls}) > 1:
        blocks.append(_build_cost_table(page, "model", columns, [(call.model, call) for call in calls]))
    source = (page.document["settings"].get("prices") or {}).get("source")
    return [*blocks, Note(page.say("cost.prices", source=source.rstrip(".")))] if source else blocks


def _choose_columns(page: Page, calls: Sequence[Call]) -> dict[str, CostColumn]:
    columns = {
        name: compute for name, compute in COST_COLUMNS.items() if name not in OPTIONAL_COLUMNS or compute(calls) != "0"
    }
    if raw_prices := page.document["settings"].get("prices"):
        prices = Prices.model_validate(raw_prices)
        columns["money"] = lambda calls: format_figure(prices.compute_cost(list(calls)), 4)
    return columns


def _build_cost_table(
    page: Page, grouping: str, columns: Mapping[str, CostColumn], labelled_calls: Sequence[tuple[str, Call]]
) -> TableBlock:
    calls_by_name: dict[str, list[Call]] = {}
    for name, call in labelled_calls:
        calls_by_name.setdefault(name, []).append(call)

    def build_row(name: str, calls: Sequence[Call]) -> list[TableCell]:
        return [name, *(compute(calls) for compute in columns.values())]

    head = [page.say(f"cost.{column}") for column in (grouping, *columns)]
    rows = [build_row(name, calls) for name, calls in calls_by_name.items()]
    return TableBlock(
        page.say(f"cost.by_{grouping}"),
        head,
        rows,
        build_row(page.say("cost.total"), [call for _, call in labelled_calls]),
    )
