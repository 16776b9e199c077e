"""Archive of an experiment in a folder, from which its tables and its report are built without a database."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from ...state.errors import InputError
from ..display.plain_text import format_json
from ..saved.experiments import RunProgress, SavedExperiment
from .data import ExperimentRun
from .entry import restore_plan
from .plan import Plan, read_plan
from .planned_runs import plan_runs
from .status import ExperimentStatus

ITEMS_FILE, RUNS_FILE, PROGRESS_FILE = "items.jsonl", "documents.jsonl", "experiment.json"


def build_archive(
    plan: Plan, experiment: SavedExperiment, runs: Sequence[ExperimentRun], status: ExperimentStatus
) -> dict[str, str]:
    """Return the texts of the archive's files by file name; everything else can be rebuilt from them."""
    plan_document = plan.document | {"items": ITEMS_FILE}
    experiment_document = experiment.model_dump(mode="json", exclude={"plan"})
    progress_by_run = {run.planned.run: run.progress._asdict() for run in runs if run.progress}
    content = {"entered": experiment_document, "status": status.model_dump(mode="json"), "standings": progress_by_run}
    return {
        "plan.yaml": yaml.safe_dump(plan_document, allow_unicode=True, sort_keys=False),
        ITEMS_FILE: _format_lines(plan.document["items"]),
        RUNS_FILE: _format_lines([run.document for run in runs if run.document is not None]),
        PROGRESS_FILE: format_json(content) + "\n",
    }


def _format_lines(values: Sequence[Any]) -> str:
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in values)


def read_archive(folder: Path) -> tuple[SavedExperiment, list[ExperimentRun], ExperimentStatus]:
    """Read the archive of an experiment from a folder; raise `InputError` if it is incomplete."""
    plan = read_plan(folder / "plan.yaml")
    try:
        content = json.loads((folder / PROGRESS_FILE).read_text("utf-8"))
        experiment = SavedExperiment.model_validate(content["entered"] | {"plan": plan.document})
        progress_by_run = {run: RunProgress(**progress) for run, progress in content["standings"].items()}
        documents = [json.loads(line) for line in (folder / RUNS_FILE).read_bytes().splitlines()]
        status = ExperimentStatus.model_validate(content["status"])
        documents_by_run: Mapping[str, Any] = {document["run"]: document for document in documents}
    except OSError as error:
        raise InputError("NAME", str(folder), f"is no export of an experiment: {error.strerror}") from None
    except (ValidationError, ValueError, KeyError, TypeError, AttributeError):
        raise InputError("NAME", str(folder), "was changed since it was exported; take it as it was") from None
    planned_runs = plan_runs(restore_plan(experiment))
    return (
        experiment,
        [
            ExperimentRun(planned_run, progress_by_run.get(planned_run.run), documents_by_run.get(planned_run.run))
            for planned_run in planned_runs
        ],
        status,
    )
