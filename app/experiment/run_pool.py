"""Execution of planned runs in one process, several at once, each without output."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import ValidationError

from ...models.calibrated_stop_file import use_stops
from ...models.chat import close_models
from ...models.failures import RunStoppedError
from ...models.limiter_context import use_call_limiter
from ...prompts import TemplateError
from ...state.availability import PARTICIPANTS_UNAVAILABLE
from ...state.errors import InputError, convert_input_error
from ...storage.clock import get_timestamp
from ..display.terminal import Terminal
from ..protocols.hooks import get_hooks
from ..run.command_options import ViewOptions
from ..run.drive_run import InterruptHandler, run_to_end
from ..run.failure import RunInterruptedError
from ..run.request import RunRequest
from ..run.resume import resume_run
from ..saved import Run, SavedRun, Store, is_incomplete, load_saved_run, save_fork
from ..saved.experiments import RunProgress, RunState, SavedExperiment, Spending, sum_spending
from ..saved.run_lock import RunLockedError, describe_process
from .arms.forks import build_fork_plan
from .arms.requests import ArmNotRunError, load_arm_request
from .endpoint_limits import EndpointLimits
from .plan import Plan
from .planned_runs import PlannedRun, build_talk_request
from .progress import ProgressListener
from .queue import RunQueue
from .run_limiter import RunCallLimiter
from .tasks.confederates import run_with_confederates

END_STATES = ("done", "failed")
MAX_STOPS_IN_ROW = 3
"""Number of consecutive stopped runs after which no further run begins."""


class QuietTerminal(Terminal):
    """Terminal without output."""

    def __init__(self, address: str) -> None:
        super().__init__(ViewOptions(db=address, quiet=True))
        self.database = address

    def show_note(self, text: str, style: str = "") -> None:
        """Ignore the text."""


class EarlyStop(Protocol):
    """Rule that ends an experiment early."""

    async def explain_stop(self, store: Store) -> str:
        """Return the reason to begin no further run, or an empty text."""


@dataclass
class RunPool:
    """Shared state of all runs of one process."""

    store: Store
    experiment: SavedExperiment
    plan: Plan
    limits: EndpointLimits
    listener: ProgressListener
    interrupts: InterruptHandler
    stop_messages: list[str] = field(default_factory=list)
    """Reasons why runs stopped."""
    stops_in_row: int = 0
    """Number of the last consecutive stops."""
    failure_messages: list[str] = field(default_factory=list)
    """Reasons why runs failed."""
    done_count: int = 0
    locked_messages: list[str] = field(default_factory=list)
    """Messages about runs that another process holds."""
    is_cap_reached: bool = False
    """True if the cap on all runs leaves too little for another run."""
    early_stop: EarlyStop | None = None
    early_stop_reason: str = ""
    """Reason for the early stop; empty while the experiment continues."""

    @property
    def can_continue(self) -> bool:
        """Return whether another run may begin."""
        return not (
            self.early_stop_reason
            or self.is_cap_reached
            or self.interrupts.control.drain_requested
            or self.stops_in_row >= MAX_STOPS_IN_ROW
        )


async def run_pool(pool: RunPool, planned_runs: Sequence[PlannedRun], jobs: int) -> None:
    """Execute planned runs, `jobs` at once, until all have ended or the pool must stop."""
    progress_by_run = await pool.store.experiments.list_progress(pool.plan.name)
    queue = RunQueue(planned_runs, list_ended_runs(planned_runs, progress_by_run))
    await _update_early_stop(pool)
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(jobs, len(planned_runs))):
                group.create_task(_run_from_queue(pool, queue))
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    finally:
        await close_models()


def list_ended_runs(planned_runs: Sequence[PlannedRun], progress_by_run: Mapping[str, RunProgress]) -> set[str]:
    """Return the names of the ended runs that are not in `planned_runs`."""
    scheduled_names = {planned_run.run for planned_run in planned_runs}
    return {run for run, progress in progress_by_run.items() if progress.state in END_STATES} - scheduled_names


async def _run_from_queue(pool: RunPool, queue: RunQueue) -> None:
    while pool.can_continue and (planned_run := await queue.take_next_run()):
        try:
            state = await execute_run(pool, planned_run)
        except RunLockedError as error:
            pool.locked_messages.append(str(error))
            await queue.finish_run(planned_run, has_ended=False)
        else:
            if state is not None:
                await queue.finish_run(planned_run, state in END_STATES)
            elif not await queue.put_back_run(planned_run):  # running runs may return the budget that they do not need
                pool.is_cap_reached = True
        await _update_early_stop(pool)


async def _update_early_stop(pool: RunPool) -> None:
    """Ask the early stop for a reason and keep it."""
    pool.early_stop_reason = pool.early_stop_reason or (
        await pool.early_stop.explain_stop(pool.store) if pool.early_stop else ""
    )


async def execute_run(pool: RunPool, planned_run: PlannedRun) -> RunState | None:
    """Execute a planned run from its last state to its end and return the final state.

    Returns `None` if the cap on all runs leaves too little to begin. Raises `RunLockedError` if another process
    holds the run, or if one of its prerequisites has not ended.
    """
    await _require_prerequisites(pool, planned_run)
    request = build_talk_request(pool.plan, planned_run, pool.experiment.model)
    cap = pool.plan.cap.model_dump()
    async with pool.store.lock(planned_run.run):
        progress = await pool.store.experiments.find_progress(planned_run.run)
        if progress and progress.state in END_STATES:  # by another process in the meantime
            return progress.state
        if not await pool.store.experiments.reserve_budget(
            pool.plan.name, planned_run.run, request.settings.budget, cap
        ):
            return None
        pool.listener.report_start(planned_run)
        state, reason, spending = await _finish_run(pool, planned_run, request)
        await pool.store.experiments.record_end(planned_run.run, state, reason, spending)
    pool.listener.report_end(planned_run, state, reason)
    pool.done_count += state == "done"
    pool.failure_messages += [reason] * (state == "failed")
    return state


async def _require_prerequisites(pool: RunPool, planned_run: PlannedRun) -> None:
    for run in planned_run.prerequisites:
        progress = await pool.store.experiments.find_progress(run)
        if progress is None or progress.state not in END_STATES:
            raise RunLockedError(f"{planned_run.run} waits for {run}, which has not ended")


async def _finish_run(pool: RunPool, planned_run: PlannedRun, request: RunRequest) -> tuple[RunState, str, Spending]:
    """Execute a run and return its final state, the reason for it, and its recorded spending."""
    no_spending = Spending(0, 0, 0.0)
    is_counted = any(limit is not None for limit in pool.plan.cap.model_dump().values())
    limiter = RunCallLimiter(
        planned_run.run, request.settings, pool.store.experiments, pool.limits, pool.listener.report_call, is_counted
    )
    try:
        if planned_run.arm and not planned_run.fork:
            request = await load_arm_request(pool.store, pool.plan, planned_run, pool.experiment.model)
        with use_call_limiter(limiter), use_stops(pool.plan.stops):
            saved_run = await _start_or_resume_run(pool, planned_run, request)
    except ArmNotRunError as arm_error:
        return "failed", str(arm_error), no_spending
    except RunStoppedError as stop_error:
        pool.stop_messages.append(str(stop_error))
        pool.stops_in_row += 1
        return "stopped", str(stop_error), await _load_spending(pool, planned_run)
    except RunInterruptedError:
        return "stopped", "interrupted", await _load_spending(pool, planned_run)
    except (InputError, TemplateError) as input_error:
        return "failed", str(input_error), no_spending
    except ValidationError as input_error:
        return "failed", str(convert_input_error(input_error)), no_spending
    pool.stops_in_row = 0
    return describe_ending(saved_run)


async def _load_spending(pool: RunPool, planned_run: PlannedRun) -> Spending:
    """Return the recorded spending of a stopped run."""
    try:
        saved_run = await load_saved_run(pool.store, planned_run.run)
    except InputError:  # a run that could not begin has no record
        return Spending(0, 0, 0.0)
    return describe_ending(saved_run)[2] if saved_run.has_begun else Spending(0, 0, 0.0)


def describe_ending(saved_run: SavedRun) -> tuple[RunState, str, Spending]:
    """Return the final state of a done or failed run, the reason for it, and its recorded spending."""
    spending = sum_spending(saved_run.state["calls"][saved_run.run.forked_calls :], saved_run.state["settings"].prices)
    if saved_run.has_ended and saved_run.state["outcome"].reason != PARTICIPANTS_UNAVAILABLE:
        return "done", "", spending
    return "failed", saved_run.state["outcome"].headline if saved_run.state["outcome"] else "", spending


async def _start_or_resume_run(pool: RunPool, planned_run: PlannedRun, request: RunRequest) -> SavedRun:
    """Start a run, or resume it from its last state; the caller holds its lock."""
    store, run_row = pool.store, build_run_row(pool.plan, planned_run, request)
    terminal = QuietTerminal(store.address)
    terminal.callbacks = [*get_hooks(request.protocol.name).callbacks(request.settings, planned_run.run, store.address)]

    def run_with_input(input: Any) -> Awaitable[SavedRun]:
        return run_to_end(store, planned_run.run, input, terminal, pool.interrupts)

    if planned_run.fork:
        await save_fork(store, await build_fork_plan(store, planned_run, run_row))
    if planned_run.fork or not await store.runs.add_run(run_row):
        saved_run = await load_saved_run(store, planned_run.run)
        if saved_run.has_ended and not is_incomplete(saved_run):
            return saved_run
        if saved_run.has_begun:
            return await run_with_confederates(
                store,
                planned_run.run,
                planned_run.item,
                resume_run(store, saved_run, terminal, pool.interrupts),
                run_with_input,
            )
    await store.runs.save_holder(planned_run.run, describe_process())
    return await run_with_confederates(
        store, planned_run.run, planned_run.item, run_with_input(request.input), run_with_input
    )


def build_run_row(plan: Plan, planned_run: PlannedRun, request: RunRequest) -> Run:
    """Return the database row of an experiment's run; its recording is filed under the run's name."""
    settings = (
        request.settings.with_choices(place=planned_run.run)
        if request.settings.record or request.settings.replay
        else request.settings
    )
    return Run(
        run=planned_run.run,
        protocol=request.protocol.name,
        topic=request.topic,
        started=get_timestamp(),
        settings=settings.model_dump(mode="json"),
        experiment=plan.name,
        condition=planned_run.condition.label,
        item=planned_run.item.id,
        repeat=planned_run.repeat,
    )
