"""Export of an experiment's data to a folder: tables, a codebook, the plan, its seal, the versions.

The folder is also an archive. Moot can rebuild the tables and the report from it, without a database.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from ...state.errors import InputError
from ..display.plain_text import format_json
from ..export.columns import TableRow
from ..export.export import clean_cell, format_csv
from ..export.run_rows import DataTable
from ..saved.experiments import RunProgress, SavedExperiment
from .data import ExperimentRun, list_documents
from .entry import restore_plan
from .plan import Plan, read_plan
from .planned_runs import plan_runs
from .seal import format_seal_sentence
from .status import ExperimentStatus

ITEMS_FILE, RUNS_FILE, PROGRESS_FILE = "items.jsonl", "documents.jsonl", "experiment.json"
CODEBOOK_COLUMNS = {"table": "", "column": "", "meaning": "", "type": "", "unit": "", "values": ""}
COLUMN_UNITS = {
    **{"tokens": "tokens", "_ms": "milliseconds", "ms": "milliseconds", "seconds": "seconds", "calls": "calls"},
    **{"cents": "cents", "cost": "currency of the prices", "income": "units of income"},
}
"""Unit of a column, by the end of the column's name."""
MAX_LISTED_VALUES = 12
"""Maximum number of values of a column that the codebook lists in full."""


def export_experiment(
    folder: Path, plan: Plan, experiment: SavedExperiment, tables: Mapping[str, DataTable], archive: Mapping[str, str]
) -> list[str]:
    """Write all files of an export and return their names.

    `archive`: texts of the archive's files, by file name. Raises `InputError` for a folder with other content.
    """
    check_export_folder(folder, plan.name)
    texts = {f"{name}.csv": format_csv(table) for name, table in tables.items()}
    texts["codebook.csv"] = format_csv(_build_codebook(tables))
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
    """Check that a folder is empty or holds an export of this experiment. Raises `InputError`."""
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    try:
        owner_name = json.loads((folder / "versions.json").read_text("utf-8"))["experiment"]
    except (OSError, ValueError, KeyError, TypeError):
        owner_name = None
    if owner_name != name:
        raise InputError("-o", str(folder), "holds something else; name an empty folder, or that of this experiment")


def _build_codebook(tables: Mapping[str, DataTable]) -> DataTable:
    """Build a table with a row for each column of each table: its meaning, type, unit and values."""
    rows = list[TableRow]()
    for name, table in tables.items():
        for column, meaning in table.columns.items():
            values = [row.get(column) for row in table.rows if row.get(column) is not None]
            unit = next((unit for suffix, unit in COLUMN_UNITS.items() if column.endswith(suffix)), "")
            details = {"type": _describe_type(values), "unit": unit, "values": _describe_values(values)}
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


def _describe_values(values: Sequence[Any]) -> str:
    """Describe values: all of them if few and short, else their range or the number of distinct values."""
    texts = {str(value) for value in values}
    if len(texts) <= MAX_LISTED_VALUES and all(len(text) <= 40 for text in texts):
        return "; ".join(sorted(texts))
    if _describe_type(values) in ("number", "whole number"):
        return f"{min(values)} to {max(values)}"
    return f"{len(texts)} different"


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

Every table is in long format and joined by `run`, `items` and
`evidence` by `item`. Where Parquet files stand beside the CSV files, they hold the same
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
    try:
        import pyarrow  # type: ignore[import-untyped, unused-ignore]
        from pyarrow import parquet
    except ImportError:
        return []
    types = {
        "empty": pyarrow.string(),
        "True or False": pyarrow.bool_(),
        "whole number": pyarrow.int64(),
        "number": pyarrow.float64(),
    }
    for name, table in tables.items():
        columns = {}
        for key in table.columns:
            values = [row.get(key) for row in table.rows]
            kind = _describe_type([value for value in values if value is not None])
            if kind == "text":  # values of several types become text
                values = [clean_cell(value) if isinstance(value, list | dict) else value for value in values]
                values = [None if value is None else str(value) for value in values]
            columns[key] = pyarrow.array(values, types.get(kind, pyarrow.string()))
        parquet.write_table(pyarrow.table(columns), folder / f"{name}.parquet")
    return [f"{name}.parquet" for name in tables]


def build_archive(
    plan: Plan, experiment: SavedExperiment, runs: Sequence[ExperimentRun], status: ExperimentStatus
) -> dict[str, str]:
    """Return the texts of the archive's files, by file name. All other files can be rebuilt from them."""
    plan_document = plan.document | {"items": ITEMS_FILE}
    experiment_document = experiment.model_dump(mode="json", exclude={"plan"})
    progress_by_run = {run.planned.run: run.progress._asdict() for run in runs if run.progress}
    content = {"entered": experiment_document, "status": status.model_dump(mode="json"), "standings": progress_by_run}
    return {
        "plan.yaml": yaml.safe_dump(plan_document, allow_unicode=True, sort_keys=False),
        ITEMS_FILE: _format_json_lines(plan.document["items"]),
        RUNS_FILE: _format_json_lines(list_documents(runs)),
        PROGRESS_FILE: format_json(content) + "\n",
    }


def _format_json_lines(values: Sequence[Any]) -> str:
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in values)


def read_archive(folder: Path) -> tuple[SavedExperiment, list[ExperimentRun], ExperimentStatus]:
    """Read the archive of an experiment from a folder. Raises `InputError` if it is incomplete."""
    plan = read_plan(folder / "plan.yaml")
    try:
        content = json.loads((folder / PROGRESS_FILE).read_text("utf-8"))
        experiment = SavedExperiment.model_validate(content["entered"] | {"plan": plan.document})
        progress_by_run = {run: RunProgress(**progress) for run, progress in content["standings"].items()}
        documents = [json.loads(line) for line in (folder / RUNS_FILE).read_bytes().splitlines()]
        documents_by_run = {document["run"]: document for document in documents}
        status = ExperimentStatus.model_validate(content["status"])
    except OSError as error:
        raise InputError("NAME", str(folder), f"is no export of an experiment: {error.strerror}") from None
    except (ValidationError, ValueError, KeyError, TypeError, AttributeError):
        raise InputError("NAME", str(folder), "was changed since it was exported; take it as it was") from None
    runs = []
    for planned in plan_runs(restore_plan(experiment)):
        runs.append(ExperimentRun(planned, progress_by_run.get(planned.run), documents_by_run.get(planned.run)))
    return experiment, runs, status
