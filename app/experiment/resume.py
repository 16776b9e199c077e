"""Go on with one run of an experiment by itself: what it spends counts as the experiment's."""

from ...nodes.calibrated_stop import with_stops
from ...nodes.models.failures import Stopped
from ...nodes.models.gate import through
from ...state.incident import Call
from ...state.rules import revived
from ..display.terminal import Terminal
from ..run import resume_run
from ..saved import Saved, Store
from ..saved.experiments import Spending, State
from .begin import stored_plan
from .gate import NOTHING, RunGate
from .limits import limits_of
from .runner import ended_as


async def resume_one(store: Store, saved: Saved, terminal: Terminal) -> Saved:
    """Go on with a run whose lock is held. Raises `Stopped` also where too little is left of the cap on all runs."""
    plan, run = stored_plan(await store.experiments.get(saved.run.experiment)), saved.run.run
    rules, cap = revived(saved.run.rules), plan.cap.model_dump()
    if not await store.experiments.begin(plan.name, run, rules.budget, cap):
        raise Stopped(f"cap = {plan.cap.model_dump(exclude_none=True)} of {plan.name}: too little is left for this run")
    gate = RunGate(run, rules, store.experiments, limits_of(store, plan), _tell_nobody, any(cap.values()))
    ended: tuple[State, str, Spending] = "stopped", "interrupted", NOTHING
    try:
        with through(gate), with_stops(plan.stops):
            saved = await resume_run(store, saved, terminal)
        ended = ended_as(saved)
        return saved
    except Stopped as stop:
        ended = "stopped", str(stop), NOTHING
        raise
    finally:
        await store.experiments.end(run, *ended)


def _tell_nobody(call: Call) -> None:
    """A call was made, which is shown as the run is shown."""
