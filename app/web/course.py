"""The course of a run as a sequence of events, read from its record: the same record gives the same events.

Where a reader stands is a `Cursor`: how much it has seen of each list of the record. Lists only grow, so whoever names
the cursor of the last event gets everything after it, and nothing twice, from any process.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...state.ends import UNAVAILABLE
from ...state.incident import PASSED_OVER, total_tokens
from ..display.aligned import aligned
from ..display.group import Item, happened
from ..display.wording import amount, doing
from ..document import document
from ..report.page import Page, page
from ..report.talk import Entry, rounds
from ..saved import Saved
from .words import environment

LISTS = ("history", "incidents", "calls", "positions", "weighings", "polls", "ballots", "votes", "events")
"""The lists of a record that events are made from, in the order in which a cursor counts them; then its ending."""

KINDS = {"positions": "position", "weighings": "position", "polls": "vote", "ballots": "vote", "votes": "vote"}
"""The events made of the lists that are told line by line."""

Cursor = tuple[int, ...]
START: Cursor = (0,) * (len(LISTS) + 1)


class Event(NamedTuple):
    """One event. `cursor`: where its reader stands after it; none: it is never sent again."""

    kind: str
    data: Mapping[str, Any]
    cursor: Cursor | None = None

    def sent(self) -> bytes:
        """The event as a browser reads it."""
        lines = [f"id: {named(self.cursor)}\n"] if self.cursor else []
        return "".join([*lines, f"event: {self.kind}\n", f"data: {json.dumps(self.data)}\n\n"]).encode()


def named(cursor: Cursor) -> str:
    """A cursor as an event's id."""
    return ".".join(map(str, cursor))


def cursor_from(text: str) -> Cursor:
    """The cursor of an id; the beginning for whatever is none."""
    found = tuple(map(int, text.split("."))) if re.fullmatch(r"\d{1,9}(\.\d{1,9})*", text) else ()
    return found if len(found) == len(START) else START


def cursor_of(saved: Saved) -> Cursor:
    """Where a reader stands who has seen all of a record."""
    return (*(len(saved.state.get(key) or []) for key in LISTS), int(saved.finished))


def is_beyond(cursor: Cursor, saved: Saved) -> bool:
    """Whether a reader has seen what the record no longer holds, because it was taken back."""
    return any(seen > held for seen, held in zip(cursor, cursor_of(saved), strict=True))


def news(saved: Saved, since: Cursor) -> list[Event]:
    """What the record holds after a cursor: statements and missed turns in order, then what was measured and spent."""
    if not saved.begun or cursor_of(saved) == since:
        return []
    shown, place, found = page(document(saved)), list(since), list[Event]()
    for key, count, kind, data in _told(saved, shown, since):
        place[LISTS.index(key)] = count
        found.append(Event(kind, data, tuple(place)))
    place[: len(LISTS)] = cursor_of(saved)[: len(LISTS)]
    if len(saved.state["calls"]) > since[LISTS.index("calls")]:
        found.append(Event("spent", spent(saved), tuple(place)))
    if saved.finished and not since[-1]:
        found.append(Event("ended", {"reason": saved.state["outcome"].reason}, cursor_of(saved)))
    return found


Told = tuple[str, int, str, Mapping[str, Any]]
"""The list of the record, how much of it is seen then, the event's kind and data."""


def _told(saved: Saved, shown: Page, since: Cursor) -> Iterator[Told]:
    state, seen = saved.state, dict(zip(LISTS, since, strict=False))
    entries = {(one.turn, one.own): (one, part.number) for part in rounds(shown) for one in part.entries}
    for count, one in enumerate(state["history"][seen["history"] :], seen["history"] + 1):
        own = shown.document["turns"][count - 1]["speakerId"] not in shown.seats and (one.turn, True) in entries
        entry, number = entries[one.turn, own]
        yield "history", count, "said", _turn(entry, number, shown)
    for count, missed in enumerate(state["incidents"][seen["incidents"] :], seen["incidents"] + 1):
        if missed.consequence == PASSED_OVER and (found := entries.get((missed.turn, False))):
            yield "incidents", count, "passed_over", _turn(*found, shown)
    for key, kind in KINDS.items():
        for count, one in enumerate((state.get(key) or [])[seen[key] :], seen[key] + 1):
            lines = [_line(item) for item in happened({key: [one]}, state["rules"])]
            yield key, count, kind, {"round": getattr(one, "round", 0), "lines": lines}


def _turn(entry: Entry, number: int, shown: Page) -> dict[str, Any]:
    macros = environment().get_template("talk.html").module
    html = str(macros.turn(entry, shown, shown.say))  # type: ignore[attr-defined]
    title = shown.say("talk.round", number=number)
    return {"turn": entry.turn, "who": entry.who, "round": number, "title": title, "html": html}


def _line(item: Item) -> str:
    return item if isinstance(item, str) else "\n".join(aligned(item))


def spent(saved: Saved) -> dict[str, Any]:
    """What a run has cost so far."""
    calls, prices = saved.state["calls"], saved.state["rules"].prices
    money = amount(prices.cost(calls), prices) if prices else ""
    return {"calls": len(calls), "tokens": total_tokens(calls), "money": money}


def standing(saved: Saved, held: bool) -> str:
    """live, waiting for somebody, stopped or finished."""
    if saved.finished and saved.state["outcome"].reason != UNAVAILABLE:
        return "finished"
    if held:
        return "live"
    return "waiting" if waited_for(saved) else "stopped"


def waited_for(saved: Saved) -> list[str]:
    """The people and programs a run waits for."""
    if not saved.begun or saved.finished:
        return []
    free = {one.name for one in saved.state["participants"] if one.kind != "model"}
    return [one for one in saved.state.get("floor") or [] if one in free][:1] if saved.next else []


def thinking(saved: Saved) -> str:
    """What is done next, in words; empty where nothing is."""
    if not saved.begun or not saved.next:
        return ""
    floor = saved.state.get("floor") or []
    return doing(saved.next[0], floor[0] if floor else "", saved.state["rules"].language)
