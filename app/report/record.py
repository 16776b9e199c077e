"""Record of the run next to its statements: figures, incidents, memories, a session's events, settings."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..display.plain_text import format_json
from ..display.wording import count_statements
from ..session.log_display import format_remark
from .blocks import MISSING, Facts, Fold, Note, TableBlock, format_duration, format_figure
from .justice import describe_condition
from .page import Page
from .section import Block


def list_run_facts(page: Page) -> Sequence[Block]:
    """Return the key figures of the run, with a note if it ended without an incident."""
    document = page.document
    facts = Facts([(page.say(f"facts.{key}"), value) for key, value in _collect_facts(page) if value])
    is_flawless = document["terminationReason"] and not document["incidents"]
    return [facts, *([Note(page.say("incidents.none"))] if is_flawless else [])]


def _collect_facts(page: Page) -> list[tuple[str, str]]:
    document = page.document
    cost = document["totalCost"]
    return [
        ("run", document["run"]),
        ("reason", page.get_label("reasons", document["terminationReason"] or "")),
        ("status", page.get_label("statuses", document["status"])),
        ("condition", describe_condition(page)),
        ("model", document["model"]),
        ("seed", "" if document["seed"] is None else str(document["seed"])),
        ("language", page.language),
        ("took", format_duration(document["totalTimeMs"])),
        ("turns", format_figure(count_statements(document))),
        ("calls", format_figure(document["totalCalls"])),
        ("tokens", format_figure(document["totalTokens"])),
        ("cost", "" if cost is None else format_figure(cost, 4)),
    ]


def list_incidents(page: Page) -> Sequence[Block]:
    """Return a table of everything that did not go as planned."""
    entries = page.document["incidents"]
    if not entries:
        return []
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
        for incident in entries
    ]
    columns = ("where", "who", "kind", "what", "consequence", "tries", "turn", "at")
    return [TableBlock(page.say("incidents.all"), [page.say(f"incidents.{column}") for column in columns], rows)]


def list_memories(page: Page) -> Sequence[Block]:
    """Return each participant's memory at the end."""
    return [
        Fold(owner, page.say("memory.lines", count=len(lines)), lines)
        for owner, lines in page.document["memory"].items()
        if lines
    ]


def list_session_events(page: Page) -> Sequence[Block]:
    """Return the log of a session."""
    entries = page.document.get("events") or []
    rows = [
        [
            format_figure(event["seq"]),
            page.format_time(event["recorded_at"]),
            page.get_label("events", event["kind"]),
            event["who"] or MISSING,
            page.link_turn(event["turn"]) or MISSING,
            _format_remark(page, event) or MISSING,
            page.comma.join(event["to"]) or MISSING,
        ]
        for event in entries
    ]
    columns = ("seq", "at", "kind", "who", "turn", "text", "to")
    head = [page.say(f"log.{column}") for column in columns]
    return [TableBlock(page.say("log.all"), head, rows)] if entries else []


def _format_remark(page: Page, event: Mapping[str, Any]) -> str:
    """Format an event's remark. The log's own remarks become phrases of the page."""
    if event["kind"] == "session_expired":
        return page.get_label("reasons", "expired")
    return format_remark(event, page.language) if event["who"] else page.get_label("reasons", event["text"])


def list_settings(page: Page) -> Sequence[Block]:
    """Return every setting with a value, by its command-line name."""
    lines = [
        f"{key}: {value if isinstance(value, str) else format_json(value, None)}"
        for key, value in _flatten_settings("", page.document["settings"])
    ]
    return [Fold(page.say("rules.all"), page.say("rules.count", count=len(lines)), lines)]


def _flatten_settings(prefix: str, settings: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flatten_settings(f"{prefix}{key}.", value)
        elif value not in (None, "", []):
            yield f"{prefix}{key}", value
