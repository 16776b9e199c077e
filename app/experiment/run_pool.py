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
from .arms.forks import build_fork_branch
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
    stored: SavedExperiment
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
    done: int = 0
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
    """Run these runs, `jobs` at once, until all have ended or the pool must stop."""
    progress_by_run = await pool.store.experiments.list_progress(pool.plan.name)
    queue = RunQueue(planned_runs, list_ended_runs(planned_runs, progress_by_run))
    await _update_early_stop(pool)
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(jobs, len(planned_runs))):
                group.create_task(_run_in_turn(pool, queue))
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    finally:
        await close_models()


def list_ended_runs(planned_runs: Sequence[PlannedRun], progress_by_run: Mapping[str, RunProgress]) -> set[str]:
    """Return the runs that have ended and are not among those to run."""
    repeated_runs = {planned.run for planned in planned_runs}
    return {run for run, progress in progress_by_run.items() if progress.state in END_STATES} - repeated_runs


async def _run_in_turn(pool: RunPool, queue: RunQueue) -> None:
    while pool.can_continue and (planned := await queue.take_next()):
        try:
            state = await execute_run(pool, planned)
        except RunLockedError as error:
            pool.locked_messages.append(str(error))
            await queue.finish_run(planned, has_ended=False)
        else:
            if state is not None:
                await queue.finish_run(planned, state in END_STATES)
            elif not await queue.put_back(planned):  # running runs may return the budget that they do not need
                pool.is_cap_reached = True
        await _update_early_stop(pool)


async def _update_early_stop(pool: RunPool) -> None:
    """Ask the early stop for a reason and keep it."""
    pool.early_stop_reason = pool.early_stop_reason or (
        await pool.early_stop.explain_stop(pool.store) if pool.early_stop else ""
    )


async def execute_run(pool: RunPool, planned: PlannedRun) -> RunState | None:
    """Run one run from its last state to its end and return the final state.

    Returns `None` if the cap on all runs leaves too little to begin. Raises `RunLockedError` if another process
    runs it, or if one of its prerequisites has not ended.
    """
    await _require_prerequisites(pool, planned)
    request = build_talk_request(pool.plan, planned, pool.stored.model)
    cap = pool.plan.cap.model_dump()
    async with pool.store.lock(planned.run):
        progress = await pool.store.experiments.find_progress(planned.run)
        if progress and progress.state in END_STATES:  # by another process, meanwhile
            return progress.state
        if not await pool.store.experiments.reserve_budget(pool.plan.name, planned.run, request.settings.budget, cap):
            return None
        pool.listener.report_start(planned)
        state, reason, spent = await _finish_run(pool, planned, request)
        await pool.store.experiments.record_end(planned.run, state, reason, spent)
    pool.listener.report_end(planned, state, reason)
    pool.done += state == "done"
    pool.failure_messages += [reason] * (state == "failed")
    return state


async def _require_prerequisites(pool: RunPool, planned: PlannedRun) -> None:
    for run in planned.prerequisites:
        progress = await pool.store.experiments.find_progress(run)
        if progress is None or progress.state not in END_STATES:
            raise RunLockedError(f"{planned.run} waits for {run}, which has not ended")


async def _finish_run(pool: RunPool, planned: PlannedRun, request: RunRequest) -> tuple[RunState, str, Spending]:
    """Run a run and return its final state, the reason, and the spending by its record."""
    no_spending = Spending(0, 0, 0.0)
    is_counted = any(limit is not None for limit in pool.plan.cap.model_dump().values())
    limiter = RunCallLimiter(
        planned.run, request.settings, pool.store.experiments, pool.limits, pool.listener.report_call, is_counted
    )
    try:
        if planned.arm and not planned.fork:
            request = await load_arm_request(pool.store, pool.plan, planned, pool.stored.model)
        with use_call_limiter(limiter), use_stops(pool.plan.stops):
            saved = await _start_or_resume(pool, planned, request)
    except ArmNotRunError as missing_error:
        return "failed", str(missing_error), no_spending
    except RunStoppedError as stop_error:
        pool.stop_messages.append(str(stop_error))
        pool.stops_in_row += 1
        return "stopped", str(stop_error), await _load_spending(pool, planned)
    except RunInterruptedError:
        return "stopped", "interrupted", await _load_spending(pool, planned)
    except (InputError, TemplateError) as input_error:
        return "failed", str(input_error), no_spending
    except ValidationError as input_error:
        return "failed", str(convert_input_error(input_error)), no_spending
    pool.stops_in_row = 0
    return describe_ending(saved)


async def _load_spending(pool: RunPool, planned: PlannedRun) -> Spending:
    """Return the spending of a stopped run by its record."""
    try:
        saved = await load_saved_run(pool.store, planned.run)
    except InputError:  # a run that could not be begun left nothing
        return Spending(0, 0, 0.0)
    return describe_ending(saved)[2] if saved.begun else Spending(0, 0, 0.0)


def describe_ending(saved: SavedRun) -> tuple[RunState, str, Spending]:
    """Return the final state of a run that was not stopped, the reason, and the spending by its record."""
    spent = sum_spending(saved.state["calls"][saved.run.forked_calls :], saved.state["settings"].prices)
    if saved.finished and saved.state["outcome"].reason != PARTICIPANTS_UNAVAILABLE:
        return "done", "", spent
    return "failed", saved.state["outcome"].headline if saved.state["outcome"] else "", spent


async def _start_or_resume(pool: RunPool, planned: PlannedRun, request: RunRequest) -> SavedRun:
    """Start a run, or resume it from its last state; the caller holds its lock."""
    store, row = pool.store, build_run_row(pool.plan, planned, request)
    terminal = QuietTerminal(store.address)
    terminal.callbacks = [*get_hooks(request.protocol.name).callbacks(request.settings, planned.run, store.address)]

    def run_with_input(input: Any) -> Awaitable[SavedRun]:
        return run_to_end(store, planned.run, input, terminal, pool.interrupts)

    if planned.fork:
        await save_fork(store, await build_fork_branch(store, planned, row))
    if planned.fork or not await store.runs.add_run(row):
        saved = await load_saved_run(store, planned.run)
        if saved.finished and not is_incomplete(saved):
            return saved
        if saved.begun:
            return await run_with_confederates(
                store, planned.run, planned.item, resume_run(store, saved, terminal, pool.interrupts), run_with_input
            )
    await store.runs.save_holder(planned.run, describe_process())
    return await run_with_confederates(store, planned.run, planned.item, run_with_input(request.input), run_with_input)


def build_run_row(plan: Plan, planned: PlannedRun, request: RunRequest) -> Run:
    """Return the database row of an experiment's run; a recording files it under the run's name."""
    settings = (
        request.settings.with_choices(place=planned.run)
        if request.settings.record or request.settings.replay
        else request.settings
    )
    return Run(
        run=planned.run,
        protocol=request.protocol.name,
        topic=request.topic,
        started=get_timestamp(),
        settings=settings.model_dump(mode="json"),
        experiment=plan.name,
        condition=planned.condition.label,
        item=planned.item.id,
        repeat=planned.repeat,
    )
