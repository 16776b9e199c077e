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

from ...state.errors import InputError
from ..display.plain_text import strip_controls
from .justice_rows import TableRow
from .run_rows import DataTable, TableDocument, build_table, build_tables

FORMULA_START = re.compile(r"'*[=+\-@\t\n＝＋－＠]")
"""Start of a text that a spreadsheet takes for a formula, or that looks like an escaped formula."""
UNQUOTED = r"^'(?='*[=+\-@\t\n＝＋－＠])"
"""Regular expression for the apostrophe that escapes such a text."""
DICTIONARY_COLUMNS = {"table": "", "column": "", "meaning": ""}


def format_turns_csv(document: TableDocument) -> str:
    """Format the turns as CSV. The header is there even without turns."""
    return format_csv(build_table(document, "turns"))


def write_tables(document: TableDocument, folder: Path) -> None:
    """Write a file for each table of the protocol, and one for the meaning of their columns.

    Creates `folder` if it is missing. Raises `InputError` if it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in format_csv_files(build_tables(document)).items():
            (folder / name).write_text(text, "utf-8", newline="")
    except OSError as error:
        raise InputError("-o", str(folder), f"cannot be written: {error.strerror}") from None


def merge_tables(runs: Sequence[Mapping[str, DataTable]]) -> dict[str, DataTable]:
    """Merge the tables of runs of one protocol by name, run after run."""
    return {
        name: DataTable(first.columns, [row for run in runs for row in run[name].rows])
        for name, first in runs[0].items()
    }


def format_csv_files(tables: Mapping[str, DataTable]) -> dict[str, str]:
    """Format each table as CSV, by file name, and `columns.csv` with the meaning of their columns."""
    meanings: list[TableRow] = [
        {"table": name, "column": column, "meaning": meaning}
        for name, table in tables.items()
        for column, meaning in table.columns.items()
    ]
    texts = {f"{name}.csv": format_csv(table) for name, table in tables.items()}
    return texts | {"columns.csv": format_csv(DataTable(DICTIONARY_COLUMNS, meanings))}


def format_csv(table: DataTable) -> str:
    """Format a table as CSV under its header."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(table.columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(clean_rows(table.rows))
    return text.getvalue()


def clean_rows(rows: Iterable[TableRow]) -> Iterable[TableRow]:
    """Yield the rows in the form in which they may stand in a file."""
    return ({key: clean_cell(value) for key, value in row.items()} for row in rows)


def clean_cell(value: object) -> object:
    """Convert a value for a cell: texts without controls, formulas escaped, lists as one text."""
    if isinstance(value, list):
        value = "; ".join(map(str, value))
    if isinstance(value, dict):
        value = "; ".join(f"{key}: {item}" for key, item in value.items())
    if not isinstance(value, str):
        return value
    text = strip_controls(value)
    return f"'{text}" if FORMULA_START.match(text) else text
