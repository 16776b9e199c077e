"""Data of an experiment: the combined tables of its runs, each row with the name of its run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..export.columns import RUN_COLUMNS, ColumnMeanings
from ..export.justice_rows import TableRow
from ..export.run_rows import DataTable, build_tables
from ..report.document import build_document
from ..saved import Store, load_saved_run
from ..saved.experiments import RunProgress, SavedExperiment
from .entry import restore_plan
from .plan import Plan
from .planned_runs import PlannedRun, list_conditions, plan_runs
from .score_answer import format_run_answer, score_run
from .setting_differences import list_differing_settings

TABLE_NAMES = {"turns": "statements"}
"""Names in an experiment's export of the run tables that are renamed, by their name for a single run."""

POSITION_COLUMNS: ColumnMeanings = {
    "run": "Name of the run; the key of every table.",
    "experiment": "Name of the experiment.",
    "condition": "Label of the condition.",
    "arm": "Which arm it is; empty: the talk itself.",
    "silenced": "Of a fork: whose first statements were silenced; empty: nobody's.",
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
    "Of samples: of all that were drawn; the table arms has as many as the report compares with the talk.",
    "input_tokens": "Prompt tokens of all calls.",
    "cached_tokens": "Those of them that the provider served from its cache.",
    "output_tokens": "Completion tokens of all calls.",
    "seconds": "Wall time while it was running, in seconds.",
}


@dataclass(frozen=True)
class ExperimentRun:
    """One planned run with its progress and its record."""

    planned: PlannedRun
    progress: RunProgress | None
    document: Mapping[str, Any] | None
    """Document of the run; `None` if it has no record."""

    @property
    def state(self) -> str:
        """Return the state: planned, begun, stopped, failed or done."""
        return self.progress.state if self.progress else "planned"

    @property
    def is_done(self) -> bool:
        """Return whether the run has a result."""
        return self.state == "done"


async def load_experiment_runs(store: Store, experiment: SavedExperiment) -> list[ExperimentRun]:
    """Return every planned run with its record, in the plan's order."""
    progress_by_run = await store.experiments.list_progress(experiment.name)
    started_names = {run.run for run in await store.runs.list_runs() if run.experiment == experiment.name}
    return [
        await _load_run(store, planned_run, progress_by_run.get(planned_run.run), started_names)
        for planned_run in plan_runs(restore_plan(experiment))
    ]


async def _load_run(
    store: Store, planned_run: PlannedRun, progress: RunProgress | None, started_names: set[str]
) -> ExperimentRun:
    saved_run = await load_saved_run(store, planned_run.run) if planned_run.run in started_names else None
    return ExperimentRun(
        planned_run, progress, build_document(saved_run) if saved_run is not None and saved_run.has_begun else None
    )


def has_only_rehearsals(runs: Sequence[ExperimentRun]) -> bool:
    """Return whether all runs with calls are rehearsals; `False` without a recorded run."""
    documents = [run.document for run in runs if run.document is not None]
    return bool(documents) and all(run_document["rehearsal"] for run_document in documents if run_document["calls"])


def collect_tables(plan: Plan, runs: Sequence[ExperimentRun]) -> dict[str, DataTable]:
    """Return all tables by name; the table `runs` has a row for each planned run, recorded or not."""
    recorded_runs = [run for run in runs if run.document is not None]
    table_groups = [build_tables(run.document) for run in recorded_runs if run.document is not None]
    names = dict.fromkeys(name for group in table_groups for name in group if name != "runs")
    tables = {"runs": _build_runs_table(plan, runs, [group["runs"] for group in table_groups])}
    for name in names:
        columns = {
            key: meaning for group in table_groups if name in group for key, meaning in group[name].columns.items()
        }
        tables[TABLE_NAMES.get(name, name)] = DataTable(
            columns, [row for group in table_groups if name in group for row in group[name].rows]
        )
    return tables


def _build_runs_table(plan: Plan, runs: Sequence[ExperimentRun], run_tables: Sequence[DataTable]) -> DataTable:
    """Return the table with a row for each planned run.

    `run_tables`: the table of each recorded run, with its own columns.
    """
    rows_by_run = {row["run"]: row for run_table in run_tables for row in run_table.rows}
    differing_settings = list_differing_settings([run.document for run in runs if run.document is not None])
    settings_by_run = {
        name: {path: values[index] for path, values in differing_settings.items()}
        for index, name in enumerate(rows_by_run)
    }
    factors = list(dict.fromkeys(path for condition in list_conditions(plan) for path in condition.settings))
    factor_columns = {f"factor.{path}": f"Factor {path} of the condition; empty: not set by it." for path in factors}
    setting_columns = {f"knob.{path}": f"Knob {path}, which differs between runs." for path in differing_settings}
    run_columns = RUN_COLUMNS | {key: meaning for run_table in run_tables for key, meaning in run_table.columns.items()}
    extra_columns = {key: meaning for key, meaning in run_columns.items() if key not in POSITION_COLUMNS}
    columns = {
        **dict(list(POSITION_COLUMNS.items())[:3]),
        **factor_columns,
        **dict(list(POSITION_COLUMNS.items())[3:]),
        **extra_columns,
        **MEASURE_COLUMNS,
        **setting_columns,
    }
    rows = []
    for run in runs:
        row = dict.fromkeys(columns) | rows_by_run.get(run.planned.run, {}) | describe_run(plan, run)
        row |= {f"factor.{path}": _format_cell(value) for path, value in run.planned.condition.settings.items()}
        row |= {f"knob.{path}": value for path, value in settings_by_run.get(run.planned.run, {}).items()}
        rows.append({key: row[key] for key in columns})
    return DataTable(columns, rows)


def describe_run(plan: Plan, run: ExperimentRun) -> TableRow:
    """Return a run's position in the plan, its ending and its result."""
    planned_run, run_document = run.planned, run.document
    calls: list[dict[str, Any]] = run_document["calls"] if run_document else []
    truth = planned_run.item.truth
    has_begun = run.progress is not None
    return {
        "run": planned_run.run,
        "experiment": plan.name,
        "condition": planned_run.condition.label,
        "arm": planned_run.arm,
        "silenced": format_silenced(run_document),
        "fork": planned_run.fork.number if planned_run.fork else None,
        "item": planned_run.item.id,
        "repeat": planned_run.repeat,
        "swap": "; ".join(planned_run.swap),
        "seed": planned_run.seed,
        "state": run.state,
        "why": run.progress.why if run.progress else "",
        "answer": format_run_answer(run_document) if run_document else "",
        "truth": next(iter(planned_run.item.right_options), truth),
        "right": (score_run(run_document, truth) if run_document and run.is_done else 0.0)
        if has_begun and truth is not None
        else None,
        **{key: sum(call[key] for call in calls) for key in ("input_tokens", "cached_tokens", "output_tokens")},
        "seconds": run_document["totalTimeMs"] / 1000 if run_document else None,
    }


def format_silenced(run_document: Mapping[str, Any] | None) -> str:
    """Format the names of the participants whose statements a run hides."""
    pairs = zip(run_document["turns"], run_document["course"], strict=True) if run_document else ()
    return "; ".join(dict.fromkeys(turn["speakerId"] for turn, course in pairs if course["silenced"]))


def _format_cell(value: object) -> object:
    return "; ".join(map(str, value)) if isinstance(value, list | dict) else value
