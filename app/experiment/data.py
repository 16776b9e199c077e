"""Data of an experiment, as tables over all its runs. Each row contains the run's name."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...state import Call, parse_settings
from ...state.positions import PositionSettings, build_answer_format
from ..export.columns import RUN_COLUMNS, ColumnMeanings, TableRow
from ..export.run_rows import DataTable, build_tables
from ..report import find_document
from ..saved import RunProgress, SavedExperiment, Store
from .items import fold_text
from .lifecycle import restore_plan
from .plan import Plan
from .planned_runs import END_STATES, PlannedRun, list_conditions, order_items, plan_runs

Document = Mapping[str, Any]
"""Document of a run, as JSON."""
TABLE_NAMES = {"turns": "statements"}
"""New name of each table that has another name in an experiment's export, by its name for a single run."""
IGNORED_SETTINGS = ("settings.seed", "settings.place", "settings.protocol", "settings.schema_version")

PLAN_COLUMNS: ColumnMeanings = {
    "run": "Name of the run; the key of every table.",
    "experiment": "Name of the experiment.",
    "condition": "Label of the condition.",
}
POSITION_COLUMNS: ColumnMeanings = {
    "arm": "Arm; empty: the deliberation itself.",
    "silenced": "Of a fork: whose first statements were silenced; empty: of no one.",
    "fork": "Of a fork: its number among those that silence the same; empty: it is none.",
    "item": "Id of the item.",
    "repeat": "Which repeat, from 1.",
    "swap": "What is the other way round: sides, order, options; empty: nothing.",
    "seed": "Seed of its draws, the same under every condition.",
    "state": "planned, begun, stopped, failed or done.",
    "why": "Why it failed or stopped.",
}
MEASURE_COLUMNS: ColumnMeanings = {
    "answer": "What it answered: an option's id, a side, a number; tied ones between semicolons; empty: nothing.",
    "truth": "The right answer, as `answer` gives it: the id of one of the item's options; empty: not known.",
    "right": "1: the answer is right; 0: it is not, or the run failed; between: several were tied; empty: not known. "
    "Of samples: of all that were drawn; the table arms has as many as the report compares with the deliberation.",
    "input_tokens": "Prompt tokens of all calls.",
    "cached_tokens": "Those of them that the provider served from its cache.",
    "output_tokens": "Completion tokens of all calls.",
    "seconds": "Wall time while it was running, in seconds.",
}

ITEM_COLUMNS: ColumnMeanings = {
    "order": "Place of the item in the order run, from 1; drawn with `until`, else the plan's.",
    "item": "Id of the item.",
    "topic": "What was asked.",
    "truth": "The right answer, as in the table runs; empty: not known.",
}


@dataclass(frozen=True)
class ExperimentRun:
    """Planned run with its progress and its record.

    `document`: document of the run, or `None` if it has no record.
    """

    planned: PlannedRun
    progress: RunProgress | None
    document: Document | None

    @property
    def record(self) -> Document:
        """Return the document of the run. Only call it for a run with a record."""
        assert self.document is not None
        return self.document

    @property
    def state(self) -> str:
        """Return the state: planned, begun, stopped, failed or done."""
        return self.progress.state if self.progress else "planned"

    @property
    def has_ended(self) -> bool:
        """Return whether the run is done or failed."""
        return self.state in END_STATES

    @property
    def failure(self) -> str:
        """Return the kind of failure that counts, or an empty text."""
        return self.progress.failure if self.progress else ""

    @cached_property
    def calls(self) -> list[Call]:
        """Return the recorded calls."""
        return [Call.model_validate(call) for call in (self.document or {}).get("calls") or []]

    @property
    def positions(self) -> list[Mapping[str, Any]]:
        """Return the recorded positions."""
        return list((self.document or {}).get("positions") or [])

    @property
    def participants(self) -> list[Mapping[str, Any]]:
        """Return the recorded participants, in seat order."""
        return list((self.document or {}).get("participants") or [])

    @property
    def is_done(self) -> bool:
        """Return whether the run has a result."""
        return self.state == "done"


async def load_experiment_runs(store: Store, experiment: SavedExperiment) -> list[ExperimentRun]:
    """Return every planned run with its record, in the plan's order."""
    progress_by_run = await store.experiments.list_progress(experiment.name)
    runs = []
    for planned in plan_runs(restore_plan(experiment)):
        document = await find_document(store, experiment.name, planned.run)
        runs.append(ExperimentRun(planned, progress_by_run.get(planned.run), document))
    return runs


def list_documents(runs: Sequence[ExperimentRun]) -> list[Document]:
    """List the documents of the runs that have a record."""
    return [run.document for run in runs if run.document is not None]


def has_only_rehearsals(runs: Sequence[ExperimentRun]) -> bool:
    """Return whether all runs with calls are rehearsals; `False` if no run has a record."""
    documents = list_documents(runs)
    return bool(documents) and all(document["rehearsal"] for document in documents if document["calls"])


def collect_tables(plan: Plan, runs: Sequence[ExperimentRun]) -> dict[str, DataTable]:
    """Return all tables by name. The table `runs` has a row for each planned run, recorded or not."""
    table_groups = [build_tables(document) for document in list_documents(runs)]
    tables = {"runs": _build_runs_table(plan, runs, [group.pop("runs") for group in table_groups])}
    for group in table_groups:
        for name, table in group.items():
            merged_table = tables.setdefault(TABLE_NAMES.get(name, name), DataTable({}, []))
            merged_table.columns.update(table.columns)
            merged_table.rows.extend(table.rows)
    return tables


def build_items_table(plan: Plan) -> DataTable:
    """Build the table with a row for each item, in the order run."""
    rows = []
    for number, item in enumerate(order_items(plan) if plan.until else plan.items, 1):
        truth = next(iter(item.right_options), item.truth)
        rows.append({"order": number, "item": item.id, "topic": item.topic, "truth": truth})
    return DataTable(ITEM_COLUMNS, rows)


def _build_runs_table(plan: Plan, runs: Sequence[ExperimentRun], run_tables: Sequence[DataTable]) -> DataTable:
    """Build the table with a row for each planned run.

    `run_tables`: tables of the recorded runs, which may have additional columns.
    """
    rows_by_run = {row["run"]: row for run_table in run_tables for row in run_table.rows}
    differing_settings = list_differing_settings(list_documents(runs))
    factors = dict.fromkeys(path for condition in list_conditions(plan) for path in condition.settings)
    run_columns = dict(RUN_COLUMNS)
    for run_table in run_tables:
        run_columns |= run_table.columns
    known_columns = PLAN_COLUMNS | POSITION_COLUMNS
    columns = {
        **PLAN_COLUMNS,
        **{f"factor.{path}": f"Factor {path} of the condition; empty: not set by it." for path in factors},
        **POSITION_COLUMNS,
        **{key: meaning for key, meaning in run_columns.items() if key not in known_columns},
        **MEASURE_COLUMNS,
        **{f"setting.{path}": f"Setting {path}, which differs between runs." for path in differing_settings},
    }
    indices = {name: index for index, name in enumerate(rows_by_run)}
    rows = []
    for run in runs:
        row = dict.fromkeys(columns) | rows_by_run.get(run.planned.run, {}) | _describe_run(plan, run)
        for path, value in run.planned.condition.settings.items():
            row[f"factor.{path}"] = "; ".join(map(str, value)) if isinstance(value, list | dict) else value
        if run.planned.run in indices:
            row |= {f"setting.{path}": values[indices[run.planned.run]] for path, values in differing_settings.items()}
        rows.append({key: row[key] for key in columns})
    return DataTable(columns, rows)


def _describe_run(plan: Plan, run: ExperimentRun) -> TableRow:
    planned, document, truth = run.planned, run.document, run.planned.item.truth
    calls: list[dict[str, Any]] = document["calls"] if document else []
    turns = zip(document["turns"], document["course"], strict=True) if document else ()
    answer, score = (document.get("runAnswer") if document else None), None
    if run.progress is not None and truth is not None:
        score = score_run(document, truth) if document and run.is_done else 0.0
    return {
        "run": planned.run,
        "experiment": plan.name,
        "condition": planned.condition.label,
        "arm": planned.arm,
        "silenced": "; ".join(dict.fromkeys(turn["speakerId"] for turn, course in turns if course["silenced"])),
        "fork": planned.fork.number if planned.fork else None,
        "item": planned.item.id,
        "repeat": planned.repeat,
        "swap": "; ".join(planned.swap),
        "seed": planned.seed,
        "state": run.state,
        "why": run.progress.why if run.progress else "",
        "answer": "; ".join(answer["tied"]) or str(answer["answer"]) if answer else "",
        "truth": next(iter(planned.item.right_options), truth),
        "right": score,
        **{key: sum(call[key] for call in calls) for key in ("input_tokens", "cached_tokens", "output_tokens")},
        "seconds": document["totalTimeMs"] / 1000 if document else None,
    }


def score_run(document: Document, truth: str | float) -> float:
    """Score a run: 1 for a right answer, 0 for a wrong or missing one.

    If answers are tied, the score is the share of right ones among them.
    """
    answer = document.get("runAnswer")
    if not answer:
        return 0.0
    settings = parse_settings(document["settings"])
    answer_format = build_answer_format(settings) if isinstance(settings, PositionSettings) else None
    answers = [(tied_answer, "") for tied_answer in answer["tied"]] or [(answer["answer"], answer["text"])]
    if answer_format is not None and answer_format.is_numeric:
        right_count = sum(answer_format.is_near(float(option), float(truth)) for option, _ in answers)
    else:
        texts = answer_format.texts if answer_format else {}
        folded_options = [(fold_text(option), fold_text(text or texts.get(option, ""))) for option, text in answers]
        right_count = sum(fold_text(str(truth)) in pair for pair in folded_options)
    return right_count / len(answers)


def list_differing_settings(documents: Sequence[Document]) -> dict[str, list[object]]:
    """List for each run the values of the settings that differ between runs, by path.

    So any two different conditions can be told apart. Participants are compared by name.
    """
    flat_settings = []
    for document in documents:
        participants = {participant["name"]: participant for participant in document["participants"]}
        flat_settings.append(dict(_flatten_value("", {"settings": document["settings"], "participants": participants})))
    paths = dict.fromkeys(path for settings in flat_settings for path in settings if path not in IGNORED_SETTINGS)
    values_by_path = {path: [settings.get(path) for settings in flat_settings] for path in paths}
    return {path: values for path, values in values_by_path.items() if len({repr(value) for value in values}) > 1}


def _flatten_value(path: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping) and value:
        for key, entry in value.items():
            yield from _flatten_value(f"{path}.{key}" if path else str(key), entry)
    elif isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value):
        yield from _flatten_value(path, {str(index): entry for index, entry in enumerate(value, 1)})
    else:
        yield path, value if not isinstance(value, list) else "; ".join(map(str, value))
