"""Events of a run, derived from its saved state. The same state always gives the same events.

For each list in the state, a `Cursor` counts the entries that a reader has received. Lists only grow. After a reader
reconnects with its last cursor, any process can send it each later event once.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...state import MISSED_TURN, sum_tokens
from ..display import describe_step, describe_update, format_money
from ..people.visible_statements import is_blind_step
from ..report import Page, TurnEntry, build_document, build_page, list_block_lines, list_rounds
from ..saved import SavedRun
from .rendering import get_environment

RECORD_LISTS = (
    "history",
    "incidents",
    "calls",
    "positions",
    "agreements",
    "drafts",
    "confirmations",
    "polls",
    "ballots",
    "votes",
    "events",
)
"""Lists of the record that cause events, in the order of a cursor's counts.

The last count of a cursor is 1 after the ending, else 0.
"""

LINE_EVENTS = {
    "positions": "position",
    "agreements": "position",
    "drafts": "position",
    "confirmations": "position",
    "polls": "vote",
    "ballots": "vote",
    "votes": "vote",
}
"""Event kind of each list whose entries are shown as lines."""

Cursor = tuple[int, ...]
FIRST_CURSOR: Cursor = (0,) * (len(RECORD_LISTS) + 1)


class StreamEvent(NamedTuple):
    """Event of a run for a browser.

    `cursor`: the reader's position after the event; `None` for an event that is not in the saved state.
    """

    kind: str
    data: Mapping[str, Any]
    cursor: Cursor | None = None

    def encode(self) -> bytes:
        """Return the event as bytes in the format of server-sent events."""
        lines = [f"id: {format_cursor(self.cursor)}\n"] if self.cursor else []
        return "".join([*lines, f"event: {self.kind}\n", f"data: {json.dumps(self.data)}\n\n"]).encode()


def format_cursor(cursor: Cursor) -> str:
    """Return a cursor as the text of an event id."""
    return ".".join(map(str, cursor))


def parse_cursor(text: str) -> Cursor:
    """Return the cursor in an event id, or the cursor of a new reader for any other text."""
    counts = tuple(map(int, text.split("."))) if re.fullmatch(r"\d{1,9}(\.\d{1,9})*", text) else ()
    return counts if len(counts) == len(FIRST_CURSOR) else FIRST_CURSOR


def compute_cursor(saved_run: SavedRun) -> Cursor:
    """Return the cursor of a reader that has received all saved entries."""
    return (*(len(saved_run.state.get(key) or []) for key in RECORD_LISTS), int(saved_run.has_ended))


def is_cursor_ahead(cursor: Cursor, saved_run: SavedRun) -> bool:
    """Return whether a cursor counts entries that the saved state no longer has."""
    return any(
        read_count > saved_count for read_count, saved_count in zip(cursor, compute_cursor(saved_run), strict=True)
    )


def list_new_events(saved_run: SavedRun, cursor: Cursor) -> list[StreamEvent]:
    """Return the events after a cursor: statements and missed turns in order, measurements, cost, ending."""
    if not saved_run.has_begun or compute_cursor(saved_run) == cursor:
        return []
    report_page, counts, events = build_page(build_document(saved_run)), list(cursor), list[StreamEvent]()
    for key, count, kind, data in _list_new_entries(saved_run, report_page, cursor):
        counts[RECORD_LISTS.index(key)] = count
        events.append(StreamEvent(kind, data, tuple(counts)))
    counts[: len(RECORD_LISTS)] = compute_cursor(saved_run)[: len(RECORD_LISTS)]
    if len(saved_run.state["calls"]) > cursor[RECORD_LISTS.index("calls")]:
        events.append(StreamEvent("spent", summarize_cost(saved_run), tuple(counts)))
    if saved_run.has_ended and not cursor[-1]:
        events.append(StreamEvent("ended", {"reason": saved_run.state["outcome"].reason}, compute_cursor(saved_run)))
    return events


def _list_new_entries(
    saved_run: SavedRun, report_page: Page, cursor: Cursor
) -> Iterator[tuple[str, int, str, Mapping[str, Any]]]:
    state, counts = saved_run.state, dict(zip(RECORD_LISTS, cursor, strict=False))
    entries = {
        (talk_entry.turn, talk_entry.is_protocol_line): (talk_entry, talk_round.number)
        for talk_round in list_rounds(report_page)
        for talk_entry in talk_round.entries
    }
    for count, record in enumerate(state["history"][counts["history"] :], counts["history"] + 1):
        is_protocol_line = (
            report_page.document["turns"][count - 1]["speakerId"] not in report_page.seats
            and (record.turn, True) in entries
        )
        entry, number = entries[record.turn, is_protocol_line]
        yield "history", count, "said", _build_turn_event(entry, number, report_page)
    for count, incident in enumerate(state["incidents"][counts["incidents"] :], counts["incidents"] + 1):
        if incident.consequence == MISSED_TURN and (entry_pair := entries.get((incident.turn, False))):
            yield "incidents", count, "missed_turn", _build_turn_event(*entry_pair, report_page)
    for key, kind in LINE_EVENTS.items():
        for count, record in enumerate((state.get(key) or [])[counts[key] :], counts[key] + 1):
            lines = [
                "\n".join(list_block_lines([block])) for block in describe_update({key: [record]}, state["settings"])
            ]
            yield key, count, kind, {"round": getattr(record, "round", 0), "lines": lines}


def _build_turn_event(entry: TurnEntry, number: int, report_page: Page) -> dict[str, Any]:
    template_module = get_environment().get_template("talk.html").module
    html = str(template_module.turn(entry, report_page, report_page.say))  # type: ignore[attr-defined]
    return {
        "turn": entry.turn,
        "who": entry.who,
        "round": number,
        "title": report_page.say("talk.round", number=number),
        "html": html,
    }


def summarize_cost(saved_run: SavedRun) -> dict[str, Any]:
    """Return the calls, tokens and money used so far, and how much of one cap is used.

    The key `cap` names what is capped, money before tokens before calls; it is empty without a cap. `most` is the cap
    as text, and `share` its used part, 0 to 1.
    """
    calls, settings = saved_run.state["calls"], saved_run.state["settings"]
    prices, budget = settings.prices, settings.budget
    cost = prices.compute_cost(calls) if prices else None
    amounts = {"cost": cost, "tokens": sum_tokens(calls), "calls": len(calls)}
    summary = {"calls": len(calls), "tokens": amounts["tokens"], "cap": "", "most": "", "share": 0.0}
    summary["money"] = "" if cost is None else format_money(cost, prices)
    for name, amount in amounts.items():
        cap = getattr(budget, name)
        if cap and amount is not None:
            return summary | {
                "cap": name,
                "most": format_money(cap, prices) if name == "cost" else f"{cap:,}",
                "share": min(1.0, amount / cap),
            }
    return summary


def describe_next_step(saved_run: SavedRun) -> str:
    """Return a sentence about the next step of a run; empty without a next step."""
    if not saved_run.has_begun or not saved_run.next:
        return ""
    floor, step = saved_run.state.get("floor") or [], saved_run.next[0]
    step = "speak_blind" if is_blind_step(saved_run) else step
    return describe_step(step, floor[0] if floor else "", saved_run.state["settings"].language)
