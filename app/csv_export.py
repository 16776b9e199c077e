"""A run as tables for a data frame: one CSV file of the turns, or a folder with a file for each table.

    pandas.read_csv("run/turns.csv")

UTF-8, a header line, commas, `\\n` between rows, an empty cell where there is nothing; every row begins with the run,
so that files of several runs can be put together. Escape sequences and control characters are left out; a text that a
spreadsheet would take for a formula has an apostrophe before it (`TEXT.str.replace("^'(?=[=+@\\t-])", "", regex=True)`
takes it off again). The JSON document has every text as it was given.
"""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..state.justice_report import JusticeResult
from ..state.refusal import Refused
from .justice_tables import Row
from .justice_tables import tables as justice_tables
from .plain import plain

FORMULA = ("=", "+", "-", "@", "\t")
"""What a text begins with that a spreadsheet takes for a formula."""

TURNS = ["turn", "round", "speaker", "content", "timestamp", "tokens", "cut_off"]
Document = Mapping[str, Any]


def turns_csv(document: Document) -> str:
    """The turns as CSV, with their header also where there are none."""
    return as_csv(_turns(document), ["run", *TURNS], document["run"])


def write_tables(document: Document, folder: Path) -> None:
    """One file for each table the run has something for, in `folder`, which is made if need be.

    Raises `Refused` where it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, rows in tables(document).items():
            text = as_csv(rows, ["run", *(rows[0] if rows else TURNS)], document["run"])
            (folder / f"{name}.csv").write_text(text, "utf-8", newline="")
    except OSError as fault:
        raise Refused("-o", str(folder), f"cannot be written: {fault.strerror}") from None


def tables(document: Document) -> dict[str, list[Row]]:
    """By name: `turns`, and whichever the run has of the others; justice adds those of its own."""
    found = {name: make(document) for name, make in TABLES.items()}
    if "phase2" in document:
        result = JusticeResult.model_validate({key: document[key] for key in JusticeResult.model_fields})
        own = justice_tables({document["run"]: result})
        found |= {name: rows for name, rows in own.items() if name != "statements"}
    return {name: rows for name, rows in found.items() if rows or name == "turns"}


def as_csv(rows: Sequence[Row], columns: Sequence[str], run: str) -> str:
    """Rows under a header; `columns` are theirs, the run first."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows({"run": run} | {key: cell(value) for key, value in row.items()} for row in rows)
    return text.getvalue()


def cell(value: object) -> object:
    """A value as it may stand in a cell: texts without controls, and none that is a formula."""
    if not isinstance(value, str):
        return value
    shown = plain(value)
    return f"'{shown}" if shown.startswith(FORMULA) else shown


def _turns(document: Document) -> list[Row]:
    return [
        {
            "turn": one["turnNumber"],
            "round": course["round"],
            "speaker": one["speakerId"],
            "content": one["content"],
            "timestamp": one["timestamp"],
            "tokens": one["tokensUsed"],
            "cut_off": course["cutOff"],
        }
        for one, course in zip(document["turns"], document["course"], strict=True)
    ]


def _whole(key: str) -> Callable[[Document], list[Row]]:
    """The entries of a list, each as it is, without what is itself a list or a table."""

    def rows(document: Document) -> list[Row]:
        entries = document.get(key) or []
        return [{name: one for name, one in entry.items() if not isinstance(one, list | dict)} for entry in entries]

    return rows


def _votes(document: Document) -> list[Row]:
    """A row for each option of each vote that was counted."""
    return [
        {
            "vote": poll["number"],
            "round": poll["round"],
            "rule": poll["tally"]["rule"],
            "option": sign,
            "text": text,
            "total": poll["tally"]["totals"].get(sign),
            "winner": sign in poll["tally"]["winners"],
            "settled": poll["tally"]["settled"],
            "turnout": poll["tally"]["turnout"],
        }
        for poll in document.get("polls") or []
        if poll["tally"]
        for sign, text in poll["options"].items()
    ]


def _weighings(document: Document) -> list[Row]:
    """A row for each participant and weighed round; without a score, they gave no answer."""
    return [
        {
            "round": one["round"],
            "strategy": one["strategy"],
            "participant": name,
            "score": one["scores"].get(name),
            "objection": one["objections"].get(name, ""),
        }
        for one in document.get("weighings") or []
        for name in [*one["scores"], *one["missing"]]
    ]


TABLES: Mapping[str, Callable[[Document], list[Row]]] = {
    "turns": _turns,
    "participants": _whole("participants"),
    "positions": _whole("positions"),
    "weighings": _weighings,
    "votes": _votes,
    "papers": _whole("papers"),
    "events": _whole("events"),
    "calls": _whole("calls"),
    "incidents": _whole("incidents"),
}
"""Makers of the tables every protocol may have, by name."""
