"""Enter an experiment under its name, or take it up: what is stored is enough to go on, on any machine."""

from collections.abc import Mapping
from typing import Any

from ...nodes.clock import stamp
from ...nodes.models.chat import default_spec
from ...state.refused import Refused
from ..saved import Store
from ..saved.experiments import Stored
from .check import check_limits, check_openings, check_runs
from .draw import Trial
from .plan import Plan, grown, plan_from
from .sealing import differs, seal, versions


async def entered(store: Store, plan: Plan, sealed: Mapping[str, Any] | None = None) -> Stored:
    """The experiment of this name, new or as it was, with what the plan has more of.

    `sealed`: the seal beside the plan; it counts where it was there before the first call. Raises `Refused` for a plan
    that cannot be run, and for one that differs from what was begun under its name.
    """
    drawn = check_runs(plan)
    before = await store.experiments.find(plan.name)
    if before is None:
        return await _new(store, plan, drawn, sealed)
    news = grown(stored_plan(before), plan)
    if not news:
        return before
    await check_openings(plan, drawn)
    after = before.model_copy(
        update={"plan": plan.document, "changes": [*before.changes, *(f"{stamp()} {one}" for one in news)]}
    )
    await store.experiments.save(after)
    return after


async def _new(store: Store, plan: Plan, drawn: list[Trial], sealed: Mapping[str, Any] | None) -> Stored:
    model = await default_spec()
    check_limits(plan, drawn, model)
    await check_openings(plan, drawn)
    now = seal(plan, model)
    changed = differs(sealed, now) if sealed is not None else []
    if any(not one.startswith("versions ") for one in changed):
        remedy = "is not as it was sealed; put it back, or take the seal away to run an exploratory experiment"
        raise Refused("seal", ", ".join(changed), remedy)
    stored = Stored(
        name=plan.name,
        started=stamp(),
        plan=plan.document,
        hash=plan.hash,
        model=model,
        seal=dict(sealed) if sealed is not None else None,
        versions=versions(),
    )
    if not await store.experiments.add(stored):
        return await entered(store, plan, sealed)
    return stored


def stored_plan(stored: Stored) -> Plan:
    """The plan of a stored experiment."""
    return plan_from(stored.plan)
