"""Execution of planned runs in one process, several at a time and without output."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import ValidationError

from ...models.calibrated_stop_file import use_stops
from ...models.chat import close_models
from ...models.failures import RunStoppedError, ServerOutageError
from ...models.limiter_context import use_call_limiter
from ...prompts import TemplateError
from ...state.availability import PARTICIPANTS_UNAVAILABLE
from ...state.budget import is_budget_spent
from ...state.errors import InputError, convert_input_error
from ...state.independent import IndependentSettings
from ...state.settings import parse_settings
from ...storage.clock import get_timestamp
from ..display.terminal import Terminal
from ..protocols.hooks import get_hooks
from ..run.drive_run import InterruptHandler, SilentTerminal, resume_run, run_to_end
from ..run.failure import RunInterruptedError
from ..run.request import RunRequest
from ..saved import Run, SavedRun, Store, delete_run, is_incomplete, load_saved_run, save_fork
from ..saved.experiments import NO_SPENDING, RunState, SavedExperiment, Spending, sum_spending
from ..saved.run_lock import RunLockedError, describe_process
from .arms.requests import ArmNotRunError, build_fork_plan, load_arm_request
from .endpoint_limits import EndpointLimits, RunCallLimiter, make_call_limiter, make_limits
from .entry import restore_plan
from .plan import Plan
from .planned_runs import END_STATES, PlannedRun, build_talk_request
from .progress import ProgressListener
from .tasks.confederates import run_with_confederates

LOST_BUDGET = "budget spent by lost calls"
"""Reason of a run that made fewer turns, because calls were lost with a process. A retry begins it anew."""
MAX_STOPS_IN_ROW = 3
"""Number of consecutive stopped runs after which no further run begins."""


class EarlyStop(Protocol):
    """Rule that ends an experiment early."""

    async def explain_stop(self, store: Store) -> str:
        """Return the reason not to start another run; empty to continue."""


@dataclass
class RunPool:
    """Shared state of all runs in one process.

    `outages`: for each run that was parked, the error that parked it.
    `stop_messages`: reasons why runs stopped. `stops_in_row`: number of consecutive stops. `failure_messages`: reasons
    why runs failed. `locked_messages`: messages about runs that another process holds. `is_cap_reached`: whether the
    cap on all runs leaves too little for another run. `early_stop_reason`: reason for the early stop, or empty.
    """

    store: Store
    experiment: SavedExperiment
    plan: Plan
    limits: EndpointLimits
    listener: ProgressListener
    interrupts: InterruptHandler
    stop_messages: list[str] = field(default_factory=list)
    stops_in_row: int = 0
    failure_messages: list[str] = field(default_factory=list)
    done_count: int = 0
    locked_messages: list[str] = field(default_factory=list)
    is_cap_reached: bool = False
    outages: dict[str, ServerOutageError] = field(default_factory=dict)
    early_stop: EarlyStop | None = None
    early_stop_reason: str = ""

    @property
    def can_continue(self) -> bool:
        """Return whether another run may start."""
        return not (
            self.early_stop_reason
            or self.is_cap_reached
            or self.interrupts.control.drain_requested
            or self.stops_in_row >= MAX_STOPS_IN_ROW
        )


class RunQueue:
    """Remaining runs in order. A run waits for its prerequisites, such as an arm for its talk.

    `ended_names`: names of the runs that are done or failed.
    """

    def __init__(self, planned_runs: Sequence[PlannedRun], ended_names: set[str]) -> None:
        self._remaining_runs, self._ended_names = list(planned_runs), ended_names
        self._end_count_by_run = dict[str, int]()
        self._end_count = 0
        self._change_condition = asyncio.Condition()

    async def take_next_run(self) -> PlannedRun | None:
        """Take the next run that can start. Wait while remaining runs depend on running ones.

        Return `None` if this process cannot start another run.
        """
        async with self._change_condition:
            while True:
                for planned in self._remaining_runs:
                    if self._ended_names.issuperset(planned.prerequisites):
                        self._remaining_runs.remove(planned)
                        self._end_count_by_run[planned.run] = self._end_count
                        return planned
                expected_names = self._ended_names | self._end_count_by_run.keys()
                expected_names |= {planned.run for planned in self._remaining_runs if not planned.prerequisites}
                if not any(expected_names.issuperset(planned.prerequisites) for planned in self._remaining_runs):
                    return None
                await self._change_condition.wait()

    async def finish_run(self, planned: PlannedRun, has_ended: bool) -> None:
        """Record that a run is no longer running.

        `has_ended`: `True` for a run that is done or failed.
        """
        async with self._change_condition:
            del self._end_count_by_run[planned.run]
            self._end_count += 1
            if has_ended:
                self._ended_names.add(planned.run)
            self._change_condition.notify_all()

    async def put_back_run(self, planned: PlannedRun) -> bool:
        """Put back a run that could not start, and wait until a running one ends.

        Return `False` if no other run is running.
        """
        async with self._change_condition:
            has_other_ended = self._end_count > self._end_count_by_run.pop(planned.run)
            self._remaining_runs.insert(0, planned)
            if has_other_ended:
                return True
            if self._end_count_by_run:
                await self._change_condition.wait()
                return True
            self._change_condition.notify_all()
            return False


async def run_pool(pool: RunPool, planned_runs: Sequence[PlannedRun], jobs: int) -> None:
    """Execute planned runs, up to `jobs` at a time, until all have ended or the pool must stop."""
    progress_by_run = await pool.store.experiments.list_progress(pool.plan.name)
    ended_names = {run for run, progress in progress_by_run.items() if progress.state in END_STATES}
    queue = RunQueue(planned_runs, ended_names - {planned.run for planned in planned_runs})
    await _update_early_stop(pool)

    async def run_from_queue() -> None:
        while pool.can_continue and (planned := await queue.take_next_run()):
            try:
                state = await execute_run(pool, planned)
            except RunLockedError as error:
                pool.locked_messages.append(str(error))
                await queue.finish_run(planned, has_ended=False)
            else:
                if state is not None:
                    await queue.finish_run(planned, state in END_STATES)
                elif not await queue.put_back_run(planned):  # running runs may return the budget they do not need
                    pool.is_cap_reached = True
            await _update_early_stop(pool)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(jobs, len(planned_runs))):
                group.create_task(run_from_queue())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    finally:
        await close_models()


async def _update_early_stop(pool: RunPool) -> None:
    if pool.early_stop and not pool.early_stop_reason:
        pool.early_stop_reason = await pool.early_stop.explain_stop(pool.store)


async def execute_run(pool: RunPool, planned: PlannedRun) -> RunState | None:
    """Execute a planned run to its end, from its last state, and return the final state.

    Return `None` if the cap on all runs leaves too little to start. Raises `RunLockedError` if another process holds
    the run or a prerequisite has not ended.
    """
    experiments, run = pool.store.experiments, planned.run
    for prerequisite in planned.prerequisites:
        progress = await experiments.find_progress(prerequisite)
        if progress is None or progress.state not in END_STATES:
            raise RunLockedError(f"{run} waits for {prerequisite}, which has not ended")
    request = build_talk_request(pool.plan, planned, pool.experiment.model)
    async with pool.store.lock(run):
        progress = await experiments.find_progress(run)
        if progress and progress.state in END_STATES:  # by another process in the meantime
            return progress.state
        if progress and (progress.state, progress.why) == ("stopped", LOST_BUDGET):
            await delete_run(pool.store, run)
        cap = pool.plan.cap.model_dump()
        if not await experiments.reserve_budget(pool.plan.name, run, request.settings.budget, cap):
            return None
        pool.listener.report_start(planned)
        limiter = await make_call_limiter(
            pool.store, run, request.settings, pool.limits, pool.listener.report_call, pool.plan.cap
        )
        state, reason, spending = await _finish_run(pool, planned, request, limiter)
        await experiments.record_end(run, state, reason, spending.with_minimum(limiter.spent))
    pool.listener.report_end(planned, state, reason)
    pool.done_count += state == "done"
    pool.failure_messages += [reason] * (state == "failed")
    return state


async def _finish_run(
    pool: RunPool, planned: PlannedRun, request: RunRequest, limiter: RunCallLimiter
) -> tuple[RunState, str, Spending]:
    try:
        if planned.arm and not planned.fork:
            request = await load_arm_request(pool.store, pool.plan, planned, pool.experiment.model)
        with use_call_limiter(limiter), use_stops(pool.plan.stops):
            ending = _describe_ending(await _start_or_resume_run(pool, planned, request))
    except (RunStoppedError, RunInterruptedError) as stop_error:
        reason = "interrupted"
        if isinstance(stop_error, RunStoppedError):
            reason = str(stop_error)
            pool.stop_messages.append(reason)
            pool.stops_in_row += 1
        if isinstance(stop_error, ServerOutageError):
            pool.outages[planned.run] = stop_error
        spending = NO_SPENDING
        with suppress(InputError):  # a run that could not begin has no record
            saved_run = await load_saved_run(pool.store, planned.run)
            spending = _describe_ending(saved_run)[2] if saved_run.has_begun else NO_SPENDING
        return "stopped", reason, spending
    except (ArmNotRunError, InputError, TemplateError) as error:
        return "failed", str(error), NO_SPENDING
    except ValidationError as error:
        return "failed", str(convert_input_error(error)), NO_SPENDING
    pool.stops_in_row = 0
    return ending


def _describe_ending(saved_run: SavedRun) -> tuple[RunState, str, Spending]:
    state = saved_run.state
    calls = state["calls"][saved_run.run.forked_calls :]
    spending = sum_spending(calls, state["settings"].prices)
    if any(call.is_lost for call in calls) and saved_run.has_ended and _has_spent_budget(state):
        return "failed", LOST_BUDGET, spending
    if saved_run.has_ended and state["outcome"].reason != PARTICIPANTS_UNAVAILABLE:
        return "done", "", spending
    return "failed", state["outcome"].headline if state["outcome"] else "", spending


def _has_spent_budget(state: Mapping[str, Any]) -> bool:
    """Return whether an ended run made fewer turns than planned, because its budget was spent."""
    if isinstance(state["settings"], IndependentSettings):
        return is_budget_spent(state["settings"], state["calls"])
    is_denied = any(incident.kind == "budget_spent" for incident in state["incidents"])
    return is_denied or state["outcome"].reason == "budget_spent"


async def _start_or_resume_run(pool: RunPool, planned: PlannedRun, request: RunRequest) -> SavedRun:
    """Start a run, or resume it from its last state. The caller holds its lock."""
    store, run, settings = pool.store, planned.run, request.settings
    if settings.record or settings.replay:
        settings = settings.with_choices(recording_id=run)  # a recording is filed under the run's name
    run_row = Run(
        run=run,
        protocol=request.protocol.name,
        topic=request.topic,
        started=get_timestamp(),
        settings=settings.model_dump(mode="json"),
        experiment=pool.plan.name,
        condition=planned.condition.label,
        item=planned.item.id,
        repeat=planned.repeat,
    )
    terminal = SilentTerminal(store.address)
    terminal.callbacks = [*get_hooks(request.protocol.name).callbacks(request.settings, run, store.address)]

    def run_with_input(input: Any) -> Awaitable[SavedRun]:
        return run_to_end(store, run, input, terminal, pool.interrupts)

    if planned.fork:
        await save_fork(store, await build_fork_plan(store, planned, run_row))
    if planned.fork or not await store.runs.add_run(run_row):
        saved_run = await load_saved_run(store, run)
        if saved_run.has_ended and not is_incomplete(saved_run):
            return saved_run
        if saved_run.has_begun:
            pending_run = resume_run(store, saved_run, terminal, pool.interrupts)
            return await run_with_confederates(store, run, planned.item, pending_run, run_with_input)
    await store.runs.save_holder(run, describe_process())
    return await run_with_confederates(store, run, planned.item, run_with_input(request.input), run_with_input)


async def resume_experiment_run(store: Store, saved_run: SavedRun, terminal: Terminal) -> SavedRun:
    """Resume a single run of an experiment. Its spending counts for the experiment. The caller holds its lock.

    Raises `RunStoppedError` if the run stops or the cap on all runs leaves too little.
    """
    plan, run = restore_plan(await store.experiments.get_experiment(saved_run.run.experiment)), saved_run.run.run
    settings = parse_settings(saved_run.run.settings)
    if not await store.experiments.reserve_budget(plan.name, run, settings.budget, plan.cap.model_dump()):
        cap = plan.cap.model_dump(exclude_none=True)
        raise RunStoppedError(f"cap = {cap} of {plan.name}: too little is left for this run")
    limits = make_limits(store, plan)
    limiter = await make_call_limiter(store, run, settings, limits, lambda call: None, plan.cap)
    ending: tuple[RunState, str, Spending] = "stopped", "interrupted", NO_SPENDING
    try:
        with use_call_limiter(limiter), use_stops(plan.stops):
            saved_run = await resume_run(store, saved_run, terminal)
        ending = _describe_ending(saved_run)
        return saved_run
    except RunStoppedError as error:
        ending = "stopped", str(error), NO_SPENDING
        raise
    finally:
        state, reason, spending = ending
        await store.experiments.record_end(run, state, reason, spending.with_minimum(limiter.spent))
