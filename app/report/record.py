"""The record beside the statements: the run in figures, incidents, memories, a session's events, its rules."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..display.plain import as_json
from ..display.wording import statements
from ..session.news import remark
from .blocks import NONE, Facts, Fold, Note, Table, duration, figure
from .experiment import condition
from .page import Page
from .section import Block


def about(page: Page) -> Sequence[Block]:
    """The run in figures; of one that is over without an incident, the word that there was none."""
    document = page.document
    facts = Facts([(page.say(f"facts.{key}"), value) for key, value in _facts(page) if value])
    smooth = document["terminationReason"] and not document["incidents"]
    return [facts, *([Note(page.say("incidents.none"))] if smooth else [])]


def _facts(page: Page) -> list[tuple[str, str]]:
    document = page.document
    money = document["totalCost"]
    return [
        ("run", document["run"]),
        ("reason", page.word("reasons", document["terminationReason"] or "")),
        ("status", page.word("statuses", document["status"])),
        ("condition", condition(page)),
        ("model", document["model"]),
        ("seed", "" if document["seed"] is None else str(document["seed"])),
        ("language", page.language),
        ("took", duration(document["totalTimeMs"])),
        ("turns", figure(statements(document))),
        ("calls", figure(document["totalCalls"])),
        ("tokens", figure(document["totalTokens"])),
        ("cost", "" if money is None else figure(money, 4)),
    ]


def incidents(page: Page) -> Sequence[Block]:
    """Everything that did not go as planned."""
    found = page.document["incidents"]
    if not found:
        return []
    rows = [
        [
            page.word("stages", one["where"]),
            (one["who"] if one["who"] in page.seats else page.word("roles", one["who"])) or NONE,
            page.word("kinds", one["kind"]) if one["kind"] else NONE,
            one["what"],
            page.word("consequences", one["consequence"]) or NONE,
            figure(one["tries"]),
            page.turn(one["turn"]) or NONE,
            page.clock(one["at"]),
        ]
        for one in found
    ]
    columns = ("where", "who", "kind", "what", "consequence", "tries", "turn", "at")
    return [Table(page.say("incidents.all"), [page.say(f"incidents.{one}") for one in columns], rows)]


def memories(page: Page) -> Sequence[Block]:
    """What each participant remembers at the end."""
    return [
        Fold(owner, page.say("memory.lines", count=len(lines)), lines)
        for owner, lines in page.document["memory"].items()
        if lines
    ]


def events(page: Page) -> Sequence[Block]:
    """The log of a session."""
    found = page.document.get("events") or []
    rows = [
        [
            figure(one["seq"]),
            page.clock(one["recorded_at"]),
            page.word("events", one["kind"]),
            one["who"] or NONE,
            page.turn(one["turn"]) or NONE,
            _remark(page, one) or NONE,
            page.comma.join(one["to"]) or NONE,
        ]
        for one in found
    ]
    columns = ("seq", "at", "kind", "who", "turn", "text", "to")
    head = [page.say(f"log.{one}") for one in columns]
    return [Table(page.say("log.all"), head, rows)] if found else []


def _remark(page: Page, event: Mapping[str, Any]) -> str:
    """The remark of an event; where it is of the log's own making, in words of the page."""
    if event["kind"] == "session_expired":
        return page.word("reasons", "expired")
    return remark(event, page.language) if event["who"] else page.word("reasons", event["text"])


def rules(page: Page) -> Sequence[Block]:
    """Every knob that is set, by the name the command line knows it by."""
    lines = [
        f"{key}: {value if isinstance(value, str) else as_json(value, None)}"
        for key, value in _flat("", page.document["rules"])
    ]
    return [Fold(page.say("rules.all"), page.say("rules.count", count=len(lines)), lines)]


def _flat(prefix: str, rules: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    for key, value in rules.items():
        if isinstance(value, Mapping):
            yield from _flat(f"{prefix}{key}.", value)
        elif value not in (None, "", []):
            yield f"{prefix}{key}", value
