"""Resume of a single run of an experiment; its spending counts for the experiment."""

from ...models.calibrated_stop_file import use_stops
from ...models.failures import RunStoppedError
from ...models.limiter_context import use_call_limiter
from ...state.call_record import Call
from ...state.settings import parse_settings
from ..display.terminal import Terminal
from ..run.resume import resume_run
from ..saved import SavedRun, Store
from ..saved.experiments import RunState, Spending
from .endpoint_limits import make_limits
from .entry import restore_plan
from .run_limiter import NO_SPENDING, RunCallLimiter
from .run_pool import describe_ending


async def resume_experiment_run(store: Store, saved_run: SavedRun, terminal: Terminal) -> SavedRun:
    """Resume an experiment's run; the caller holds its lock.

    Raises `RunStoppedError` if the run stops, or if the cap on all runs leaves too little.
    """
    plan, run = restore_plan(await store.experiments.get_experiment(saved_run.run.experiment)), saved_run.run.run
    settings, cap = parse_settings(saved_run.run.settings), plan.cap.model_dump()
    if not await store.experiments.reserve_budget(plan.name, run, settings.budget, cap):
        raise RunStoppedError(
            f"cap = {plan.cap.model_dump(exclude_none=True)} of {plan.name}: too little is left for this run"
        )
    limiter = RunCallLimiter(
        run, settings, store.experiments, make_limits(store, plan), _ignore_call, any(cap.values())
    )
    ending: tuple[RunState, str, Spending] = "stopped", "interrupted", NO_SPENDING
    try:
        with use_call_limiter(limiter), use_stops(plan.stops):
            saved_run = await resume_run(store, saved_run, terminal)
        ending = describe_ending(saved_run)
        return saved_run
    except RunStoppedError as error:
        ending = "stopped", str(error), NO_SPENDING
        raise
    finally:
        await store.experiments.record_end(run, *ending)


def _ignore_call(call: Call) -> None:
    """Ignore a call; the run's own display shows it."""
