"""Cost of a run by stage and by model: calls, tokens, time, money."""

from collections.abc import Callable, Mapping, Sequence

from ...state.call_record import Call
from ...state.prices import Prices
from .blocks import Figure, Note, TableBlock, format_figure
from .page import Page
from .section import Block

COST_COLUMNS: Mapping[str, Callable[[Sequence[Call]], Figure]] = {
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
    columns = {
        name: compute for name, compute in COST_COLUMNS.items() if name not in OPTIONAL_COLUMNS or compute(calls) != "0"
    }
    raw_prices = page.document["settings"].get("prices")
    if raw_prices:
        prices = Prices.model_validate(raw_prices)
        columns["money"] = lambda calls: format_figure(prices.compute_cost(list(calls)), 4)
    labels_by_grouping = {"stage": [page.get_label("stages", call.purpose) for call in calls]}
    if len({call.model for call in calls}) > 1:
        labels_by_grouping["model"] = [call.model for call in calls]
    blocks: list[Block] = []
    for grouping, labels in labels_by_grouping.items():
        calls_by_label: dict[str, list[Call]] = {}
        for label, call in zip(labels, calls, strict=True):
            calls_by_label.setdefault(label, []).append(call)
        groups = [*calls_by_label.items(), (page.say("cost.total"), calls)]
        *rows, total = [[label, *(compute(group) for compute in columns.values())] for label, group in groups]
        head = [page.say(f"cost.{column}") for column in (grouping, *columns)]
        blocks.append(TableBlock(page.say(f"cost.by_{grouping}"), head, rows, total))
    source = (raw_prices or {}).get("source")
    return [*blocks, Note(page.say("cost.prices", source=source.rstrip(".")))] if source else blocks
