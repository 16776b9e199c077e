"""Lifecycle of a saved experiment: create it, reopen it, close it.

The stored plan is enough to continue on any machine.
"""

from collections.abc import Mapping
from typing import Any

from ...models import fetch_default_spec, get_address_variables
from ...state import InputError
from ...storage import get_timestamp
from ..report import find_document
from ..saved import SavedExperiment, Store
from .forecast import check_limits, check_openings, forecast_talks, list_checked_runs
from .plan import Plan, list_additions, parse_plan
from .planned_runs import END_STATES, SAMPLED_ARMS, PlannedRun, build_condition_requests, plan_runs
from .seal import list_seal_differences, make_seal, map_versions, read_templates


async def enter_experiment(store: Store, plan: Plan, seal: Mapping[str, Any] | None = None) -> SavedExperiment:
    """Save a new experiment, or add the plan's additions to the saved one, and return it.

    `seal`: seal stored next to the plan. It counts only if it existed before the first call. Raises `InputError` for an
    invalid plan, and for one that contradicts the stored plan.
    """
    planned_runs = list_checked_runs(plan)
    before = await store.experiments.find_experiment(plan.name)
    if before is None:
        return await _create_experiment(store, plan, planned_runs, seal)
    plan_before = parse_plan(before.plan)
    additions = list_additions(plan_before, plan)
    if not additions:
        return before
    check_open(before)
    await check_openings(plan, planned_runs)
    changes = [*before.changes, *(f"{get_timestamp()} {addition}" for addition in additions)]
    after = before.model_copy(update={"plan": plan.document, "changes": changes})
    reopened_arms = SAMPLED_ARMS if plan.samples_max != plan_before.samples_max else ()
    reopened_runs = [planned_run.run for planned_run in planned_runs if planned_run.arm in reopened_arms]
    await store.experiments.save_experiment(after, reopened_runs)
    return after


async def record_versions(store: Store, experiment: SavedExperiment) -> SavedExperiment:
    """Record which package versions have changed since a sealed experiment started. Return the experiment.

    An experiment without a seal stays unchanged.
    """
    if experiment.seal is None:
        return experiment
    before, now = experiment.versions, map_versions()
    change = ", ".join(f"{name} {before.get(name)} → {now[name]}" for name in now if now[name] != before.get(name))
    if not change or any(entry.endswith(change) for entry in experiment.changes):
        return experiment
    return await store.experiments.add_change(experiment.name, change)


def check_open(experiment: SavedExperiment) -> None:
    """Check that an experiment is not closed. Raises `InputError`."""
    if experiment.closed:
        raise InputError(
            "experiment",
            experiment.name,
            f"was closed on {experiment.closed} ({experiment.close_reason}); make its report, or choose another name",
        )


async def close_experiment(store: Store, experiment: SavedExperiment, reason: str, *, fails: bool) -> SavedExperiment:
    """Close an experiment, so that no further run starts, and return it.

    `fails`: whether open runs count as failed; `False` at an early stop, which needs no open runs. Raises `InputError`
    if the experiment is closed already, or if all its runs have ended.
    """
    check_open(experiment)
    progress_by_run = await store.experiments.map_progress(experiment.name)
    names = [planned_run.run for planned_run in plan_runs(parse_plan(experiment.plan))]
    open_runs = [run for run in names if run not in progress_by_run or progress_by_run[run].state not in END_STATES]
    if not open_runs:
        raise InputError(
            "experiment", experiment.name, "all runs of the experiment have ended; there is nothing to close"
        )
    held_runs = [run for run in open_runs if run in progress_by_run and await store.is_held(run)]
    if fails and held_runs:
        raise InputError("experiment", experiment.name, f"{held_runs[0]} is in progress; stop it first")
    after = experiment.model_copy(update={"closed": get_timestamp(), "close_reason": reason})
    failed_runs = {run: await find_document(store, experiment.name, run) for run in open_runs} if fails else {}
    await store.experiments.close_experiment(after, failed_runs)
    return after


async def _create_experiment(
    store: Store, plan: Plan, planned_runs: list[PlannedRun], seal: Mapping[str, Any] | None
) -> SavedExperiment:
    model = await fetch_default_spec()
    check_limits(plan, planned_runs, model)
    await check_openings(plan, planned_runs)
    differences = list_seal_differences(seal, make_seal(plan, model)) if seal is not None else []
    if any(not difference.startswith("versions ") for difference in differences):
        raise InputError(
            "seal",
            ", ".join(differences),
            "was changed after the seal; restore it, or delete the seal to run an exploratory experiment",
        )
    experiment = SavedExperiment(
        name=plan.name,
        started=get_timestamp(),
        plan=plan.document,
        hash=plan.hash,
        model=model,
        addresses=get_address_variables(),
        seal=dict(seal) if seal is not None else None,
        versions=map_versions(),
        forecasts=await forecast_talks(plan, planned_runs, model),
    )
    words = read_templates(plan, build_condition_requests(plan, planned_runs, model)) if seal is not None else {}
    if not await store.experiments.add_experiment(experiment, words):
        return await enter_experiment(store, plan, seal)
    return experiment
