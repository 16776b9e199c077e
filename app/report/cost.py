"""What a run cost, by stage: calls, tokens, time, money."""

from collections.abc import Sequence

from ...state.incident import Call
from ...state.rules import Prices
from .blocks import Cell, Table, figure
from .page import Page
from .section import Block


def cost(page: Page) -> Sequence[Block]:
    """One row for each purpose calls were made for, in the order of their first call; and for each model."""
    calls = [Call.model_validate(one) for one in page.document["calls"]]
    if not calls:
        return []
    given = page.document["rules"].get("prices")
    prices = Prices.model_validate(given) if given else None
    stages = {purpose: [one for one in calls if one.purpose == purpose] for purpose in {c.purpose: 0 for c in calls}}
    models = {model: [one for one in calls if one.model == model] for model in {c.model: 0 for c in calls}}
    total = _row(page.say("cost.total"), calls, prices)
    blocks: list[Block] = [
        _table(page, "stage", [(page.word("stages", key), own) for key, own in stages.items()], total, prices)
    ]
    if len(models) > 1:
        blocks.append(_table(page, "model", list(models.items()), total, prices))
    return blocks


def _table(
    page: Page, by: str, groups: Sequence[tuple[str, list[Call]]], total: Sequence[Cell], prices: Prices | None
) -> Table:
    columns = ["calls", "failed", "input", "cached", "output", "reasoning", "time", *(["money"] if prices else [])]
    head = [page.say(f"cost.{by}"), *(page.say(f"cost.{one}") for one in columns)]
    return Table(page.say(f"cost.by_{by}"), head, [_row(name, own, prices) for name, own in groups], total)


def _row(name: str, calls: Sequence[Call], prices: Prices | None) -> list[Cell]:
    counted = [
        len(calls),
        sum(one.outcome != "ok" for one in calls),
        sum(one.input_tokens for one in calls),
        sum(one.cached_tokens for one in calls),
        sum(one.output_tokens for one in calls),
        sum(one.reasoning_tokens for one in calls),
    ]
    took = figure(sum(one.ms for one in calls) / 1000, 1)
    money = [figure(prices.cost(list(calls)), 4)] if prices else []
    return [name, *(figure(one) for one in counted), took, *money]
