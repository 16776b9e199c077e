"""Execution of an experiment in this process: its remaining runs, several at a time."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...models import REHEARSAL, RunStoppedError
from ..display import Screen, format_command
from ..run import InterruptHandler, RunInterruptedError, with_continuation
from ..saved import RunProgress, SavedExperiment, Store
from .endpoint_limits import EndpointLimits
from .lifecycle import check_open, close_experiment
from .plan import Plan, parse_plan
from .planned_runs import END_STATES, PlannedRun, build_talk_request, plan_runs
from .progress import ProgressDisplay, ProgressListener
from .run_pool import EarlyStop, RunPool, execute_pool
from .seal import list_planned_models
from .status import format_unfinished


@dataclass(frozen=True)
class ExecutionOptions:
    """Options for executing an experiment in this process.

    `jobs`: maximum number of runs at a time. `retry_failed`: whether to repeat failed runs. `screen`: screen that shows
    the progress; `None` for no output.
    """

    jobs: int = 4
    retry_failed: bool = False
    screen: Screen | None = None


async def run_experiment(
    store: Store, experiment: SavedExperiment, options: ExecutionOptions, db: str
) -> SavedExperiment:
    """Execute the rest of an experiment and return the experiment.

    `db`: database in the command that an error suggests, which continues the experiment.
    """
    try:
        return await execute_remaining_runs(store, experiment, options)
    except (RunStoppedError, RunInterruptedError) as error:
        command_line = format_command("experiment", "run", experiment.name, db=db and store.address)
        raise with_continuation(error, command_line) from error


def is_rehearsal(experiment: SavedExperiment) -> bool:
    """Return whether all runs of an experiment are rehearsals."""
    return list_planned_models(parse_plan(experiment.plan), experiment.model) == [REHEARSAL]


def describe_spending(experiment: SavedExperiment) -> str:
    """Return a text with the models that an experiment calls, and the cap on all its runs."""
    plan = parse_plan(experiment.plan)
    cap = ", ".join(f"{key} {value:,}" for key, value in plan.cap.model_dump(exclude_none=True).items())
    specs = ", ".join(list_planned_models(plan, experiment.model))
    return f"{specs}; {f'cap: {cap}' if cap else 'no cap on all runs together'}"


async def execute_remaining_runs(
    store: Store, experiment: SavedExperiment, options: ExecutionOptions
) -> SavedExperiment:
    """Execute the remaining runs of an experiment, and close it at an early stop. Return the experiment.

    Raises `RunInterruptedError` after Ctrl-C. Raises `RunStoppedError` if runs stop, if another process holds runs, or
    if the cap leaves too little.
    """
    check_open(experiment)
    if options.retry_failed:
        await store.experiments.reset_failed_runs(experiment)
    plan, earlier_progress = parse_plan(experiment.plan), await store.experiments.map_progress(experiment.name)
    planned_runs = plan_runs(plan)
    prices = build_talk_request(plan, planned_runs[0], experiment.model).settings.prices
    listener = ProgressListener()
    if options.screen:
        listener = ProgressDisplay(options.screen, len(planned_runs), earlier_progress, prices)
    interrupts, limits = InterruptHandler(listener.report_drain), EndpointLimits(plan.limits, store.endpoints)
    pool = RunPool(store, experiment, plan, limits, listener, interrupts, early_stop=make_early_stop(plan))
    with interrupts.handle_interrupts(), listener:
        await execute_pool(pool, list_remaining_runs(planned_runs, earlier_progress), options.jobs)
    if pool.early_stop_reason and options.screen:
        options.screen.show_line(pool.early_stop_reason)
    state_by_run = {
        run: progress.state for run, progress in (await store.experiments.map_progress(experiment.name)).items()
    }
    states = [(planned_run, state_by_run.get(planned_run.run, "planned")) for planned_run in planned_runs]
    cap, open_count = pool.plan.cap.model_dump(exclude_none=True), sum(state not in END_STATES for _, state in states)
    unfinished_text = f"{open_count} of {len(states)} runs have not ended: {format_unfinished(pool.plan, states)}"
    failures = [] if pool.done_count else pool.failure_messages
    reasons = [
        (pool.stop_messages, f"{len(pool.stop_messages)} runs stopped, the last: ", ""),
        (failures, "every run failed, the last: ", "; add --retry-failed to repeat them"),
        (pool.locked_messages, "", ""),
        (
            [unfinished_text] * pool.is_cap_reached,
            *(f"cap = {cap}: what is left is too little for another run; ", "; raise it in the plan to continue"),
        ),
    ]
    if pool.interrupts.count:
        raise RunInterruptedError("stopped; all statements are saved")
    for messages, introduction, remedy in reasons:
        if messages:
            raise RunStoppedError(f"{introduction}{messages[-1]}{remedy}")
    if pool.early_stop_reason and any(state not in END_STATES for _, state in states):
        return await close_experiment(store, pool.experiment, pool.early_stop_reason, fails=False)
    return pool.experiment


def make_early_stop(plan: Plan) -> EarlyStop | None:
    """Return the function that checks the plan's early stop, or `None` if the plan has none."""
    if not plan.until:
        return None
    from .arms.early_stop import GainEvidence  # needs the extra `science`

    return GainEvidence(plan).explain_stop


def list_remaining_runs(
    planned_runs: list[PlannedRun], earlier_progress: Mapping[str, RunProgress]
) -> list[PlannedRun]:
    """Return the planned runs that are not finished. Failed runs count as finished until they are reset.

    `earlier_progress`: progress of started runs by name.
    """
    ended_runs = {run for run, progress in earlier_progress.items() if progress.state in END_STATES}
    return [planned_run for planned_run in planned_runs if planned_run.run not in ended_runs]
