"""The whole of an experiment in a folder: what its tables and its report are made from, without a database."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from ...state.refused import Refused
from ..display.plain import as_json
from ..saved.experiments import Standing, Stored
from .begin import stored_plan
from .data import Outcome
from .draw import trials
from .plan import Plan, read_plan
from .status import Status

ITEMS, RUNS, STANDING = "items.jsonl", "documents.jsonl", "experiment.json"


def packed(plan: Plan, stored: Stored, found: Sequence[Outcome], standing: Status) -> dict[str, str]:
    """The files from which all else can be made again, by name."""
    told = plan.document | {"items": ITEMS}
    entered = stored.model_dump(mode="json", exclude={"plan"})
    standings = {one.trial.run: one.standing._asdict() for one in found if one.standing}
    whole = {"entered": entered, "status": standing.model_dump(mode="json"), "standings": standings}
    return {
        "plan.yaml": yaml.safe_dump(told, allow_unicode=True, sort_keys=False),
        ITEMS: _lines(plan.document["items"]),
        RUNS: _lines([one.document for one in found if one.document is not None]),
        STANDING: as_json(whole) + "\n",
    }


def _lines(values: Sequence[Any]) -> str:
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in values)


def unpacked(folder: Path) -> tuple[Stored, list[Outcome], Status]:
    """What `packed` wrote into a folder. Raises `Refused` where that is not whole."""
    plan = read_plan(folder / "plan.yaml")
    try:
        whole = json.loads((folder / STANDING).read_text("utf-8"))
        stored = Stored.model_validate(whole["entered"] | {"plan": plan.document})
        standings = {run: Standing(**one) for run, one in whole["standings"].items()}
        documents = [json.loads(line) for line in (folder / RUNS).read_bytes().splitlines()]
        status = Status.model_validate(whole["status"])
        by_run: Mapping[str, Any] = {one["run"]: one for one in documents}
    except OSError as fault:
        raise Refused("NAME", str(folder), f"is no export of an experiment: {fault.strerror}") from None
    except (ValidationError, ValueError, KeyError, TypeError, AttributeError):
        raise Refused("NAME", str(folder), "was changed since it was exported; take it as it was") from None
    drawn = trials(stored_plan(stored))
    return stored, [Outcome(one, standings.get(one.run), by_run.get(one.run)) for one in drawn], status
