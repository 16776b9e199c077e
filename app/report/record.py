"""Record of a run in a report: figures, incidents, memories, settings and costs."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from ...state import Call, Prices
from ..display import count_statements, format_json, format_requests
from .blocks import (
    MISSING,
    Block,
    BulletList,
    FactList,
    Figure,
    FoldedBlocks,
    Paragraph,
    TableBlock,
    format_duration,
    format_figure,
)
from .page import Page


def list_run_facts(page: Page) -> Sequence[Block]:
    """Build the blocks with the key figures of a run, and a note if it had no incidents."""
    document, cost = page.document, page.document["totalCost"]
    facts = {
        "run": document["run"],
        "reason": page.get_label("reasons", document["terminationReason"] or ""),
        "status": page.get_label("statuses", document["status"]),
        "condition": page.hooks.condition(page),
        "model": document["model"],
        "recipients": document["recipients"],
        "seed": "" if document["seed"] is None else str(document["seed"]),
        "language": page.language,
        "took": format_duration(document["totalTimeMs"]),
        "turns": format_figure(count_statements(document)),
        "calls": format_figure(document["totalCalls"]),
        "requests": format_requests(document),
        "tokens": format_figure(document["totalTokens"]),
        "cost": "" if cost is None else format_figure(cost, 4),
    }
    blocks: list[Block] = [FactList([(page.say(f"facts.{key}"), value) for key, value in facts.items() if value])]
    if document["terminationReason"] and not document["incidents"]:
        blocks.append(Paragraph(page.say("incidents.none")))
    return blocks


def list_incident_tables(page: Page) -> Sequence[Block]:
    """Build the table of the run's incidents, as a list; empty without incidents."""
    rows = [
        [
            page.get_label("stages", incident["where"]),
            (incident["who"] if incident["who"] in page.seats else page.get_label("roles", incident["who"])) or MISSING,
            page.get_label("kinds", incident["kind"]) if incident["kind"] else MISSING,
            incident["what"],
            page.get_label("consequences", incident["consequence"]) or MISSING,
            format_figure(incident["attempts"]),
            page.link_turn(incident["turn"]) or MISSING,
            page.format_time(incident["at"]),
        ]
        for incident in page.document["incidents"]
    ]
    head = page.list_headings("incidents", "where who kind what consequence attempts turn at")
    return [TableBlock(page.say("incidents.all"), head, rows)] if rows else []


def list_memory_blocks(page: Page) -> Sequence[Block]:
    """Build a folded block for each participant's last memory. Empty memories are left out."""
    return [
        FoldedBlocks(owner, [BulletList(lines)], count=page.say("memory.lines", count=len(lines)))
        for owner, lines in page.document["memory"].items()
        if lines
    ]


def list_setting_blocks(page: Page) -> Sequence[Block]:
    """Build the folded list of all settings that have a value, by their command-line names."""
    settings = page.document["settings"] | {"recipients": page.document["recipients"]}  # as a line
    lines = [
        f"{key}: {value if isinstance(value, str) else format_json(value, None)}"
        for key, value in _flatten_settings("", settings)
    ]
    return [FoldedBlocks(page.say("rules.all"), [BulletList(lines)], count=page.say("rules.count", count=len(lines)))]


def _flatten_settings(prefix: str, settings: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flatten_settings(f"{prefix}{key}.", value)
        elif value not in (None, "", []):
            yield f"{prefix}{key}", value


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
    """Build a table of costs by purpose, and another by model if several models answered.

    Without calls, the list is empty. Rows are in the order of first calls. A note names the source of the prices.
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
        title, *head = (page.say(f"cost.{key}") for key in (f"by_{grouping}", grouping, *columns))
        blocks.append(TableBlock(title, head, rows, total))
    source = (raw_prices or {}).get("source")
    return [*blocks, Paragraph(page.say("cost.prices", source=source.rstrip(".")))] if source else blocks
