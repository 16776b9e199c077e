"""Export of an experiment to a folder: tables, their description, the plan, its seal, and versions.

The folder is also an archive. Moot can rebuild the tables and the report from it, without a database.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from ...state import InputError
from ..display.plain_text import format_json
from ..export import DataTable, TableRow, clean_cell, format_csv, list_prompts
from ..saved import LedgerLine, RunProgress, SavedExperiment, Store
from .arms.answers import build_arm_table
from .data import FINDING_KEYS, ExperimentRun, build_items_table, collect_tables, list_documents, load_experiment_runs
from .plan import Plan, parse_plan, read_plan
from .planned_runs import plan_runs
from .seal import format_seal_sentence
from .status import ExperimentStatus, build_flow_table, load_status

try:
    import pyarrow  # type: ignore[import-untyped, unused-ignore]
    from pyarrow import parquet
except ImportError:
    parquet = None
ITEMS_FILE, RUNS_FILE, PROGRESS_FILE = "items.jsonl", "documents.jsonl", "experiment.json"
LEDGER_FILE, FIGURES_FILE, MANIFEST_FILE, WORD_FOLDER = "ledger.jsonl", "findings.json", "manifest.json", "words"
CODEBOOK_COLUMNS = {"table": "", "column": "", "meaning": "", "type": "", "unit": "", "values": ""}
COLUMN_UNITS = {
    **{"tokens": "tokens", "_ms": "milliseconds", "ms": "milliseconds", "seconds": "seconds", "calls": "calls"},
    **{"cents": "cents", "cost": "currency of the prices", "income": "units of income"},
}
"""Unit of a column, by the end of the column's name."""
TYPE_NAMES: dict[str, set[type]] = {
    "empty": set(),
    "True or False": {bool},
    "whole number": {int},
    "number": {int, float},
}
"""Name of a column's type, with the types of its values; other columns are text."""
MAX_LISTED_VALUES = 12


@dataclass(frozen=True)
class ExperimentArchive:
    """Data of an experiment, from a database or from an exported folder.

    `words`: sealed templates, personas and terms, by their path in the folder.
    """

    experiment: SavedExperiment
    runs: Sequence[ExperimentRun]
    status: ExperimentStatus
    ledger: Sequence[LedgerLine]
    words: Mapping[str, str]

    @cached_property
    def plan(self) -> Plan:
        """Return the plan of the experiment."""
        return parse_plan(self.experiment.plan)


async def load_archive(store: Store, experiment: SavedExperiment) -> ExperimentArchive:
    """Load all data of an experiment from a database."""
    words = await store.experiments.load_sealed_texts(experiment.name)
    return ExperimentArchive(
        experiment,
        await load_experiment_runs(store, experiment),
        await load_status(store, experiment),
        await store.experiments.list_ledger(experiment.name),
        {make_word_path(path): text for path, text in words.items()},
    )


def make_word_path(path: str) -> str:
    """Return the path of a sealed file within an export. The path never leads out of the folder."""
    return "/".join([WORD_FOLDER, *(part.replace("..", "__") for part in Path(path).parts if part != "/")])


def export_experiment(folder: Path, archive: ExperimentArchive, *, with_prompts: bool = False) -> list[str]:
    """Write all files of an export to `folder` and return their names.

    `with_prompts`: whether to add the prompts of all calls. Raises `InputError` for a folder with other content.
    """
    check_export_folder(folder, archive.plan.name)
    tables = build_experiment_tables(archive)
    if with_prompts:
        tables["prompts"] = list_prompts(list_documents(archive.runs))
    texts = build_archive_texts(archive) | build_descriptions(archive, tables)
    texts |= {f"{name}.csv": format_csv(table) for name, table in tables.items()}
    with suppress(InputError):  # the package of the figures is missing
        from .arms.findings import build_figures

        texts[FIGURES_FILE] = format_json(build_figures(archive.plan, archive.runs)) + "\n"
    try:
        for name, text in texts.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
        parquet_tables = build_parquet_tables(tables)
        for name, table in parquet_tables.items():
            parquet.write_table(table, folder / name)
        (folder / MANIFEST_FILE).write_text(format_json(hash_files(folder)) + "\n", "utf-8")
    except OSError as error:
        raise InputError("-o", str(folder), f"cannot be written: {error.strerror}") from None
    return [*texts, *parquet_tables, MANIFEST_FILE]


def hash_files(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file in a folder by path, without the manifest."""
    paths = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in paths.items() if name != MANIFEST_FILE
    }


def build_experiment_tables(archive: ExperimentArchive) -> dict[str, DataTable]:
    """Return all tables of an export by name, except the prompts."""
    plan, runs = archive.plan, archive.runs
    tables = collect_tables(plan, runs)
    tables |= {"items": build_items_table(plan), "flow": build_flow_table(plan, archive.experiment, runs)}
    if plan.until:
        from .arms.early_stop import build_evidence_table  # needs the extra `science`

        tables["evidence"] = build_evidence_table(plan, runs)
    return tables | ({"arms": build_arm_table(plan, runs)} if plan.arms else {})


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


def read_parquet(path: Path) -> list[dict[str, Any]]:
    """Read the rows of a Parquet file."""
    return list(parquet.read_table(path).to_pylist())


def build_descriptions(archive: ExperimentArchive, tables: Mapping[str, DataTable]) -> dict[str, str]:
    """Return the texts that describe the tables of an export, by file name."""
    return {
        "codebook.csv": format_csv(_build_codebook(tables)),
        "README.md": _format_readme(archive, tables),
    }


def _build_codebook(tables: Mapping[str, DataTable]) -> DataTable:
    rows = list[TableRow]()
    for name, table in tables.items():
        for column, meaning in table.columns.items():
            values = [row.get(column) for row in table.rows if row.get(column) is not None]
            units = (unit for suffix, unit in COLUMN_UNITS.items() if column.endswith(suffix))
            cells = name, column, meaning, _describe_type(values), next(units, ""), _describe_values(values)
            rows.append(dict(zip(CODEBOOK_COLUMNS, cells, strict=True)))
    rows += [{"table": FIGURES_FILE, "column": key, "meaning": meaning} for key, meaning in FINDING_KEYS.items()]
    return DataTable(CODEBOOK_COLUMNS, rows)


def _describe_type(values: Sequence[object]) -> str:
    types = {type(value) for value in values}
    return next((name for name, known_types in TYPE_NAMES.items() if types <= known_types), "text")


def _describe_values(values: Sequence[Any]) -> str:
    """Return a text about the values of a column.

    It lists them if they are few and short; otherwise it gives their range or the number of distinct values.
    """
    texts = {str(value) for value in values}
    if len(texts) <= MAX_LISTED_VALUES and all(len(text) <= 40 for text in texts):
        return "; ".join(sorted(texts))
    if _describe_type(values) in ("number", "whole number"):
        return f"{min(values)} to {max(values)}"
    return f"{len(texts)} different"


def _format_readme(archive: ExperimentArchive, tables: Mapping[str, DataTable]) -> str:
    plan, experiment = archive.plan, archive.experiment
    table_list = "\n".join(f"- `{name}.csv`: {len(table.rows):,} rows" for name, table in tables.items())
    changes = "".join(f"\n- {change}" for change in experiment.changes)
    return f"""# The data of the experiment {plan.name}

Protocol {plan.protocol}, begun {experiment.started}. {format_seal_sentence(plan, experiment)}

{table_list}
- `codebook.csv`: what every column of every table means, and every key of `findings.json`
- `plan.yaml` with `items.jsonl`: the plan; `seal.json`: what was sealed; `versions.json`: what it was run with
- `documents.jsonl`: the full record of each run, a line each; `experiment.json`: how each ended
- {
        "`words/`: the sealed templates; " if archive.words else ""
    }`ledger.jsonl`: a chain of hashes, written as runs begin and end
- `findings.json`: the report's figures (with `moot[science]`); `manifest.json`: the SHA-256 of every other file

From this folder alone `moot experiment report ./FOLDER` and `moot experiment export ./FOLDER -o ANOTHER` make the
report and these tables again; `moot experiment verify ./FOLDER` checks them; `moot experiment run plan.yaml` runs the
plan again.

Every table is in long format and joined by `run`, `items`{
        " and `evidence`" if plan.until else ""
    } by `item`. In `runs`, a deliberation has an
empty `arm`; `factor.…` and `setting.…` say what its condition changed. In `arms`, each row is the answer of one arm
compared with the deliberation `run`. Accuracy is the mean of `right`, a gain the mean difference of two arms within a
`run`, both first averaged over swaps. `right` of a failed run is 0. Settings that no condition changes, such as the
temperature, are in `plan.yaml` (defaults: in `documents.jsonl`). In `positions`, `when` tells first answers from later
ones; the rows `before` of the arm alone repeat the first answers of its deliberation. In `experiment.json`, `model` is
the model of participants that have none in the plan, and `rehearsal` in `runs` says whether a model took part. The
prompts are not in this folder, unless it has `prompts.csv` (`--prompts`, for runs with `settings: {{record: FILE}}`).

In `findings.json` figures are shares, so 0.05 is 5 points, and intervals are not cut at what is possible. The report's
section Measures is computed from the other files. In the codebook a key stands after the one that it is under;
`estimate` is any figure with an interval, and `judgement` any difference with its tests.

Parquet files (with `moot[data]`) hold the same rows as the CSV files. Read the CSV files with empty cells as missing
and nothing else, in pandas with `keep_default_na=False, na_values=[""]`; a text that a spreadsheet would take for a
formula has an apostrophe before it. A failed run is a row like any other; `state` and `why` say what became of it.
{
        f'''
What was added after the experiment was begun:
{changes}
'''
        if changes
        else ""
    }"""


def build_parquet_tables(tables: Mapping[str, DataTable]) -> dict[str, Any]:
    """Return the content of the Parquet files by file name; empty without the package for them."""
    if parquet is None:
        return {}
    parquet_tables = dict[str, Any]()
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
        parquet_tables[f"{name}.parquet"] = pyarrow.table(columns)
    return parquet_tables


def build_archive_texts(archive: ExperimentArchive) -> dict[str, str]:
    """Return the files of an archive by file name, from which everything else can be rebuilt."""
    experiment, plan_document = archive.experiment, archive.plan.document
    content = {
        "entered": experiment.model_dump(mode="json", exclude={"plan"}),
        "status": archive.status.model_dump(mode="json"),
        "standings": {run.planned.run: run.progress._asdict() for run in archive.runs if run.progress},
    }
    return {
        "plan.yaml": yaml.safe_dump(plan_document | {"items": ITEMS_FILE}, allow_unicode=True, sort_keys=False),
        ITEMS_FILE: _format_json_lines(plan_document["items"]),
        RUNS_FILE: _format_json_lines(list_documents(archive.runs)),
        PROGRESS_FILE: format_json(content) + "\n",
        LEDGER_FILE: _format_json_lines([line._asdict() for line in archive.ledger]),
        "seal.json": format_json(experiment.seal or {"sealed": False}) + "\n",
        "versions.json": format_json({"experiment": experiment.name, "began_with": experiment.versions}) + "\n",
        **archive.words,
    }


def _format_json_lines(values: Sequence[Any]) -> str:
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in values)


def _read_json_lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def read_archive(folder: Path) -> ExperimentArchive:
    """Read the archive of an experiment from a folder. Raises `InputError` if it is incomplete."""
    plan = read_plan(folder / "plan.yaml")
    try:
        content = json.loads((folder / PROGRESS_FILE).read_text("utf-8"))
        experiment = SavedExperiment.model_validate(content["entered"] | {"plan": plan.document})
        progress_by_run = {run: RunProgress(**progress) for run, progress in content["standings"].items()}
        documents_by_run = {document["run"]: document for document in _read_json_lines(folder / RUNS_FILE)}
        status = ExperimentStatus.model_validate(content["status"])
        ledger = [LedgerLine(**line) for line in _read_json_lines(folder / LEDGER_FILE)]
        words = [path for path in sorted((folder / WORD_FOLDER).rglob("*")) if path.is_file()]
        word_texts = [path.read_bytes().decode("utf-8", "surrogateescape") for path in words]
    except OSError as error:
        raise InputError("NAME", str(folder), f"is no export of an experiment: {error.strerror}") from None
    except (ValidationError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError("NAME", str(folder), "was changed after the export; use an unchanged copy") from None
    runs = [
        ExperimentRun(planned_run, progress_by_run.get(planned_run.run), documents_by_run.get(planned_run.run))
        for planned_run in plan_runs(parse_plan(experiment.plan))
    ]
    texts_by_path = {path.relative_to(folder).as_posix(): text for path, text in zip(words, word_texts, strict=True)}
    return ExperimentArchive(experiment, runs, status, ledger, texts_by_path)
