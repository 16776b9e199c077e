"""Record of the run next to its statements: figures, incidents, memories, settings."""

from collections.abc import Iterator, Mapping, Sequence

from ..display.plain_text import format_json
from ..display.wording import count_statements
from .blocks import MISSING, Facts, Fold, Note, TableBlock, format_duration, format_figure
from .page import Page
from .section import Block


def list_run_facts(page: Page) -> Sequence[Block]:
    """Return the key figures of the run, with a note if it ended without an incident."""
    document = page.document
    cost = document["totalCost"]
    facts = {
        "run": document["run"],
        "reason": page.get_label("reasons", document["terminationReason"] or ""),
        "status": page.get_label("statuses", document["status"]),
        "condition": page.hooks.condition(page),
        "model": document["model"],
        "seed": "" if document["seed"] is None else str(document["seed"]),
        "language": page.language,
        "took": format_duration(document["totalTimeMs"]),
        "turns": format_figure(count_statements(document)),
        "calls": format_figure(document["totalCalls"]),
        "tokens": format_figure(document["totalTokens"]),
        "cost": "" if cost is None else format_figure(cost, 4),
    }
    blocks: list[Block] = [Facts([(page.say(f"facts.{key}"), value) for key, value in facts.items() if value])]
    if document["terminationReason"] and not document["incidents"]:
        blocks.append(Note(page.say("incidents.none")))
    return blocks


def list_incidents(page: Page) -> Sequence[Block]:
    """Return a table of everything that did not go as planned."""
    rows = [
        [
            page.get_label("stages", incident["where"]),
            (incident["who"] if incident["who"] in page.seats else page.get_label("roles", incident["who"])) or MISSING,
            page.get_label("kinds", incident["kind"]) if incident["kind"] else MISSING,
            incident["what"],
            page.get_label("consequences", incident["consequence"]) or MISSING,
            format_figure(incident["tries"]),
            page.link_turn(incident["turn"]) or MISSING,
            page.format_time(incident["at"]),
        ]
        for incident in page.document["incidents"]
    ]
    head = page.list_headings("incidents", "where who kind what consequence tries turn at")
    return [TableBlock(page.say("incidents.all"), head, rows)] if rows else []


def list_memories(page: Page) -> Sequence[Block]:
    """Return each participant's memory at the end."""
    return [
        Fold(owner, page.say("memory.lines", count=len(lines)), lines)
        for owner, lines in page.document["memory"].items()
        if lines
    ]


def list_settings(page: Page) -> Sequence[Block]:
    """Return every setting with a value, by its command-line name."""
    lines = [
        f"{key}: {value if isinstance(value, str) else format_json(value, None)}"
        for key, value in _flatten_settings("", page.document["settings"])
    ]
    return [Fold(page.say("rules.all"), page.say("rules.count", count=len(lines)), lines)]


def _flatten_settings(prefix: str, settings: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flatten_settings(f"{prefix}{key}.", value)
        elif value not in (None, "", []):
            yield f"{prefix}{key}", value
