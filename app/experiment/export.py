"""A folder with all the data of an experiment: tables, what their columns mean, the plan, its seal, the versions."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...state.refused import Refused
from ..display.plain import as_json
from ..saved.experiments import Stored
from ..tables.export import as_csv, cell
from ..tables.justice_tables import Row
from ..tables.tables import Table
from .plan import Plan
from .sealed import sealed_sentence

CODEBOOK = {"table": "", "column": "", "meaning": "", "type": "", "unit": "", "values": ""}
UNITS = {"_tokens": "tokens", "tokens": "tokens", "_ms": "milliseconds", "ms": "milliseconds", "seconds": "seconds"}
UNITS |= {"cents": "cents", "cost": "currency of the prices", "income": "units of income", "calls": "calls"}
FEW = 12
"""Values of a column that are all listed."""


def export(folder: Path, plan: Plan, stored: Stored, found: Mapping[str, Table], whole: Mapping[str, str]) -> list[str]:
    """Write everything; gives the names of the files. Raises `Refused` for a folder that holds something else.

    `whole`: the files from which all of it can be made again.
    """
    check_folder(folder, plan.name)
    texts = {f"{name}.csv": as_csv(table) for name, table in found.items()}
    texts["codebook.csv"] = as_csv(codebook(found))
    texts |= whole
    texts["seal.json"] = as_json(stored.seal or {"sealed": False}) + "\n"
    texts["versions.json"] = as_json({"experiment": plan.name, "began_with": stored.versions}) + "\n"
    texts["README.md"] = _readme(plan, stored, found)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, "utf-8", newline="")
        return [*texts, *_parquet(folder, found)]
    except OSError as fault:
        raise Refused("-o", str(folder), f"cannot be written: {fault.strerror}") from None


def check_folder(folder: Path, name: str) -> None:
    """Refuse a folder that is neither empty nor this experiment's own export."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    try:
        own = json.loads((folder / "versions.json").read_text("utf-8"))["experiment"]
    except (OSError, ValueError, KeyError, TypeError):
        own = None
    if own != name:
        raise Refused("-o", str(folder), "holds something else; name an empty folder, or that of this experiment")


def codebook(found: Mapping[str, Table]) -> Table:
    """Every column of every table: what it means, its type and unit, and the values it has."""
    rows = list[Row]()
    for name, table in found.items():
        for column, meaning in table.columns.items():
            values = [row.get(column) for row in table.rows if row.get(column) is not None]
            told = {"type": _type(values), "unit": _unit(column), "values": _values(values)}
            rows.append({"table": name, "column": column, "meaning": meaning, **told})
    return Table(CODEBOOK, rows)


def _type(values: Sequence[object]) -> str:
    kinds = {type(value) for value in values}
    if not kinds:
        return "empty"
    if kinds == {bool}:
        return "True or False"
    if kinds == {int}:
        return "whole number"
    return "number" if kinds <= {int, float} else "text"


def _unit(column: str) -> str:
    return next((unit for end, unit in UNITS.items() if column == end or column.endswith(end)), "")


def _values(values: Sequence[Any]) -> str:
    """All of them where they are few and short, the least and greatest number, or how many differ."""
    if not values:
        return ""
    different = {str(value): value for value in values}
    if len(different) <= FEW and all(len(one) <= 40 for one in different):
        return "; ".join(sorted(different))
    if _type(values) in ("number", "whole number"):
        return f"{min(values)} to {max(values)}"
    return f"{len(different)} different"


def _readme(plan: Plan, stored: Stored, found: Mapping[str, Table]) -> str:
    listed = "\n".join(f"- `{name}.csv`: {len(table.rows):,} rows" for name, table in found.items())
    changed = "".join(f"\n- {one}" for one in stored.changes)
    return f"""# The data of the experiment {plan.name}

Protocol {plan.protocol}, begun {stored.started}. {sealed_sentence(plan, stored)}

{listed}
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
{changed}
'''
        if changed
        else ""
    }"""


def _parquet(folder: Path, found: Mapping[str, Table]) -> list[str]:
    """The tables as Parquet, where pyarrow is installed."""
    try:
        import pyarrow  # type: ignore[import-untyped, unused-ignore]
        from pyarrow import parquet
    except ImportError:
        return []
    for name, table in found.items():
        columns = {key: _column(pyarrow, [row.get(key) for row in table.rows]) for key in table.columns}
        parquet.write_table(pyarrow.table(columns), folder / f"{name}.parquet")
    return [f"{name}.parquet" for name in found]


def _column(pyarrow: Any, values: Sequence[object]) -> Any:
    """One column, of text where its values are of several kinds."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return pyarrow.array(values, pyarrow.bool_())
    if kinds == {int}:
        return pyarrow.array(values, pyarrow.int64())
    if kinds and kinds <= {int, float}:
        return pyarrow.array(values, pyarrow.float64())
    texts = [
        None if value is None else str(cell(value) if isinstance(value, list | dict) else value) for value in values
    ]
    return pyarrow.array(texts, pyarrow.string())
