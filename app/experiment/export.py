"""Export of an experiment's data to a folder: tables, a codebook, the plan, its seal, the versions."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...state.errors import InputError
from ..display.plain_text import format_json
from ..export.export import clean_cell, format_csv
from ..export.justice_rows import TableRow
from ..export.run_rows import DataTable
from ..saved.experiments import SavedExperiment
from .plan import Plan
from .seal_sentence import format_seal_sentence

CODEBOOK_COLUMNS = {"table": "", "column": "", "meaning": "", "type": "", "unit": "", "values": ""}
COLUMN_UNITS = {
    "_tokens": "tokens",
    "tokens": "tokens",
    "_ms": "milliseconds",
    "ms": "milliseconds",
    "seconds": "seconds",
}
COLUMN_UNITS |= {"cents": "cents", "cost": "currency of the prices", "income": "units of income", "calls": "calls"}
MAX_LISTED_VALUES = 12
"""Largest number of values of a column that the codebook lists in full."""


def export_experiment(
    folder: Path, plan: Plan, experiment: SavedExperiment, tables: Mapping[str, DataTable], archive: Mapping[str, str]
) -> list[str]:
    """Write all files of an export and return their names.

    `archive`: texts of the files from which everything can be rebuilt. Raises `InputError` for a folder with other
    content.
    """
    check_export_folder(folder, plan.name)
    texts = {f"{name}.csv": format_csv(table) for name, table in tables.items()}
    texts["codebook.csv"] = format_csv(build_codebook(tables))
    texts |= archive
    texts["seal.json"] = format_json(experiment.seal or {"sealed": False}) + "\n"
    texts["versions.json"] = format_json({"experiment": plan.name, "began_with": experiment.versions}) + "\n"
    texts["README.md"] = _format_readme(plan, experiment, tables)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, "utf-8", newline="")
        return [*texts, *_write_parquet(folder, tables)]
    except OSError as error:
        raise InputError("-o", str(folder), f"cannot be written: {error.strerror}") from None


def check_export_folder(folder: Path, name: str) -> None:
    """Raise `InputError` for a folder that is neither empty nor an export of this experiment."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    try:
        owner_name = json.loads((folder / "versions.json").read_text("utf-8"))["experiment"]
    except (OSError, ValueError, KeyError, TypeError):
        owner_name = None
    if owner_name != name:
        raise InputError("-o", str(folder), "holds something else; name an empty folder, or that of this experiment")


def build_codebook(tables: Mapping[str, DataTable]) -> DataTable:
    """Return a row for each column of each table: its meaning, type, unit and values."""
    rows = list[TableRow]()
    for name, table in tables.items():
        for column, meaning in table.columns.items():
            values = [row.get(column) for row in table.rows if row.get(column) is not None]
            details = {"type": _describe_type(values), "unit": _get_unit(column), "values": _describe_values(values)}
            rows.append({"table": name, "column": column, "meaning": meaning, **details})
    return DataTable(CODEBOOK_COLUMNS, rows)


def _describe_type(values: Sequence[object]) -> str:
    types = {type(value) for value in values}
    if not types:
        return "empty"
    if types == {bool}:
        return "True or False"
    if types == {int}:
        return "whole number"
    return "number" if types <= {int, float} else "text"


def _get_unit(column: str) -> str:
    return next((unit for suffix, unit in COLUMN_UNITS.items() if column == suffix or column.endswith(suffix)), "")


def _describe_values(values: Sequence[Any]) -> str:
    """Return all values if there are few short ones, else their range or the number of distinct values."""
    if not values:
        return ""
    values_by_text = {str(value): value for value in values}
    if len(values_by_text) <= MAX_LISTED_VALUES and all(len(text) <= 40 for text in values_by_text):
        return "; ".join(sorted(values_by_text))
    if _describe_type(values) in ("number", "whole number"):
        return f"{min(values)} to {max(values)}"
    return f"{len(values_by_text)} different"


def _format_readme(plan: Plan, experiment: SavedExperiment, tables: Mapping[str, DataTable]) -> str:
    table_list = "\n".join(f"- `{name}.csv`: {len(table.rows):,} rows" for name, table in tables.items())
    changes = "".join(f"\n- {change}" for change in experiment.changes)
    return f"""# The data of the experiment {plan.name}

Protocol {plan.protocol}, begun {experiment.started}. {format_seal_sentence(plan, experiment)}

{table_list}
- `codebook.csv`: what every column of every table means
- `plan.yaml` with `items.jsonl`: the plan; `seal.json`: what was sealed; `versions.json`: what it was run with
- `documents.jsonl`: everything on record of each run, a line each; `experiment.json`: how each ended

From this folder alone `moot experiment report ./FOLDER` and `moot experiment export ./FOLDER -o ANOTHER` make the
report and these tables again; `moot experiment run plan.yaml` runs the plan anew.

Every table is in long format and joined by `run`. Where Parquet files stand beside the CSV files, they hold the same
rows. Read the CSV files with empty cells as missing and nothing else, in pandas with `keep_default_na=False,
na_values=[""]`; a text that a spreadsheet would take for a formula has an apostrophe before it. A failed run is a row
like any other; `state` and `why` say what became of it.
{
        f'''
What was added after the experiment was begun:
{changes}
'''
        if changes
        else ""
    }"""


def _write_parquet(folder: Path, tables: Mapping[str, DataTable]) -> list[str]:
    """Write the tables as Parquet if pyarrow is installed, and return the names of the files."""
    try:
        import pyarrow  # type: ignore[import-untyped, unused-ignore]
        from pyarrow import parquet
    except ImportError:
        return []
    for name, table in tables.items():
        columns = {key: _build_column(pyarrow, [row.get(key) for row in table.rows]) for key in table.columns}
        parquet.write_table(pyarrow.table(columns), folder / f"{name}.parquet")
    return [f"{name}.parquet" for name in tables]


def _build_column(pyarrow: Any, values: Sequence[object]) -> Any:
    """Return one column; values of several types become text."""
    types = {type(value) for value in values if value is not None}
    if types == {bool}:
        return pyarrow.array(values, pyarrow.bool_())
    if types == {int}:
        return pyarrow.array(values, pyarrow.int64())
    if types and types <= {int, float}:
        return pyarrow.array(values, pyarrow.float64())
    texts = [
        None if value is None else str(clean_cell(value) if isinstance(value, list | dict) else value)
        for value in values
    ]
    return pyarrow.array(texts, pyarrow.string())
