"""Tables of a run as CSV for data frames: a file of the turns, or a folder with every table.

pandas.read_csv("run/turns.csv", keep_default_na=False, na_values=[""]) # keeps a participant called NA

The files are UTF-8 with a header line, commas, and LF between rows. A missing value is an empty cell. Every row begins
with the run, so files of several runs can be joined. `columns.csv` gives the meaning and unit of each column. Escape
sequences and control characters are removed. If a spreadsheet could read a text as a formula, an apostrophe precedes
the text. `TEXT.str.replace(ESCAPE_APOSTROPHE, "", regex=True)` removes it. The JSON document has every text unchanged.
"""

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path

from ..display.plain_text import strip_controls
from ..protocols.hooks import RunDocument
from ..run import write_text
from .columns import TableRow
from .run_tables import DataTable, build_table, build_tables

FORMULA_START = re.compile(r"'*[=+\-@\t\n＝＋－＠]")
"""Pattern for the first characters of a formula in a spreadsheet, with or without apostrophes before them."""
ESCAPE_APOSTROPHE = r"^'(?='*[=+\-@\t\n＝＋－＠])"
"""Regular expression for the apostrophe that escapes a formula."""


def format_turns_csv(document: RunDocument) -> str:
    """Format the turns as CSV, with a header even if there are no turns."""
    return format_csv(build_table(document, "turns"))


def write_tables(document: RunDocument, folder: Path) -> None:
    """Write each table of a run as a CSV file, and `columns.csv` with the meaning of their columns.

    Creates `folder` if it is missing. Raises `InputError` if it cannot be written.
    """
    for name, text in build_csv_files(build_tables(document)).items():
        write_text(folder / name, text, makes_folder=True)


def build_csv_files(tables: Mapping[str, DataTable]) -> dict[str, str]:
    """Return the CSV text of each table by file name, and `columns.csv` with the columns' meanings."""
    meanings: list[TableRow] = [
        {"table": name, "column": column, "meaning": meaning}
        for name, table in tables.items()
        for column, meaning in table.columns.items()
    ]
    texts = {f"{name}.csv": format_csv(table) for name, table in tables.items()}
    return texts | {"columns.csv": format_csv(DataTable({"table": "", "column": "", "meaning": ""}, meanings))}


def format_csv(table: DataTable) -> str:
    """Format a table as CSV under its header."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, fieldnames=list(table.columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: clean_cell(value) for key, value in row.items()} for row in table.rows)
    return buffer.getvalue()


def clean_cell(value: object) -> object:
    """Return a value as a cell: no control characters, escaped formulas, and lists joined to one text."""
    if isinstance(value, list):
        value = "; ".join(map(str, value))
    if isinstance(value, dict):
        value = "; ".join(f"{key}: {item}" for key, item in value.items())
    if not isinstance(value, str):
        return value
    text = strip_controls(value)
    return f"'{text}" if FORMULA_START.match(text) else text
