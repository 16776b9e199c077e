"""A run as tables for a data frame: one CSV file of the turns, or a folder with a file for each table.

    pandas.read_csv("run/turns.csv", keep_default_na=False, na_values=[""])  # or a participant called NA is missing

UTF-8, a header line also where there are no rows, commas, `\\n` between rows, an empty cell where there is nothing;
every row begins with the run, so that files of several runs can be put together. `columns.csv` says what each column
of each table holds, and in which unit. Escape sequences and control characters are left out; a text that a
spreadsheet would take for a formula has an apostrophe before it, which `TEXT.str.replace(UNQUOTED, "", regex=True)`
takes off again. The JSON document has every text as it was given.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ...state.refused import Refused
from ..display.plain import plain
from .justice_tables import Row
from .tables import Document, Table, made, tables

FORMULA = re.compile(r"'*[=+\-@\t\n＝＋－＠]")
"""How a text begins that a spreadsheet takes for a formula, or that would be mistaken for one with its apostrophe."""
UNQUOTED = r"^'(?='*[=+\-@\t\n＝＋－＠])"
"""The apostrophe that was put before such a text, as a regular expression."""
DICTIONARY = {"table": "", "column": "", "meaning": ""}


def turns_csv(document: Document) -> str:
    """The turns as CSV, with their header also where there are none."""
    return as_csv(made(document, "turns"))


def write_tables(document: Document, folder: Path) -> None:
    """One file for each table the protocol has, and one for what their columns mean, in `folder`, made if need be.

    Raises `Refused` where it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in csv_files(tables(document)).items():
            (folder / name).write_text(text, "utf-8", newline="")
    except OSError as fault:
        raise Refused("-o", str(folder), f"cannot be written: {fault.strerror}") from None


def together(found: Sequence[Mapping[str, Table]]) -> dict[str, Table]:
    """The tables of runs of one protocol as one of each name, run after run."""
    return {
        name: Table(first.columns, [row for one in found for row in one[name].rows]) for name, first in found[0].items()
    }


def csv_files(found: Mapping[str, Table]) -> dict[str, str]:
    """The text of each table's file, by file name, and of `columns.csv`, which says what their columns hold."""
    meanings: list[Row] = [
        {"table": name, "column": column, "meaning": meaning}
        for name, table in found.items()
        for column, meaning in table.columns.items()
    ]
    texts = {f"{name}.csv": as_csv(table) for name, table in found.items()}
    return texts | {"columns.csv": as_csv(Table(DICTIONARY, meanings))}


def as_csv(table: Table) -> str:
    """A table under its header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(table.columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(cells(table.rows))
    return text.getvalue()


def cells(rows: Iterable[Row]) -> Iterable[Row]:
    """Rows as they may stand in a file."""
    return ({key: cell(value) for key, value in row.items()} for row in rows)


def cell(value: object) -> object:
    """A value as it may stand in a cell: texts without controls, and none that is a formula; lists as one text."""
    if isinstance(value, list):
        value = "; ".join(map(str, value))
    if isinstance(value, dict):
        value = "; ".join(f"{key}: {one}" for key, one in value.items())
    if not isinstance(value, str):
        return value
    shown = plain(value)
    return f"'{shown}" if FORMULA.match(shown) else shown
