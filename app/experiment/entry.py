"""Storage of an experiment under its name. The stored plan is enough to continue on any machine."""

from collections.abc import Mapping
from typing import Any

from ...models.chat import fetch_default_spec
from ...state.errors import InputError
from ...storage.clock import get_timestamp
from ..saved import Store
from ..saved.experiments import SavedExperiment
from .forecast import check_limits, check_openings, check_runs
from .plan import Plan, list_additions, parse_plan
from .planned_runs import PlannedRun
from .seal import list_seal_differences, list_versions, make_seal


async def enter_experiment(store: Store, plan: Plan, seal: Mapping[str, Any] | None = None) -> SavedExperiment:
    """Create the stored experiment, or add the plan's additions to it.

    `seal`: seal next to the plan; it counts only if it existed before the first call. Raises `InputError` for an
    invalid plan, or one that contradicts the stored plan.
    """
    planned_runs = check_runs(plan)
    before = await store.experiments.find_experiment(plan.name)
    if before is None:
        return await _create_experiment(store, plan, planned_runs, seal)
    additions = list_additions(restore_plan(before), plan)
    if not additions:
        return before
    await check_openings(plan, planned_runs)
    changes = [*before.changes, *(f"{get_timestamp()} {addition}" for addition in additions)]
    after = before.model_copy(update={"plan": plan.document, "changes": changes})
    await store.experiments.save_experiment(after)
    return after


async def _create_experiment(
    store: Store, plan: Plan, planned_runs: list[PlannedRun], seal: Mapping[str, Any] | None
) -> SavedExperiment:
    model = await fetch_default_spec()
    check_limits(plan, planned_runs, model)
    await check_openings(plan, planned_runs)
    current_seal = make_seal(plan, model)
    differences = list_seal_differences(seal, current_seal) if seal is not None else []
    if any(not difference.startswith("versions ") for difference in differences):
        remedy = "is not as it was sealed; put it back, or take the seal away to run an exploratory experiment"
        raise InputError("seal", ", ".join(differences), remedy)
    experiment = SavedExperiment(
        name=plan.name,
        started=get_timestamp(),
        plan=plan.document,
        hash=plan.hash,
        model=model,
        seal=dict(seal) if seal is not None else None,
        versions=list_versions(),
    )
    if not await store.experiments.add_experiment(experiment):
        return await enter_experiment(store, plan, seal)
    return experiment


def restore_plan(experiment: SavedExperiment) -> Plan:
    """Return the plan of a stored experiment."""
    return parse_plan(experiment.plan)
