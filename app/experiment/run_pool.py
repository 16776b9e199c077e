"""Execution of planned runs in one process, several at a time and without output."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from ...models import (
    RunStoppedError,
    ServerOutageError,
    check_same_addresses,
    close_models,
    use_call_limiter,
    use_stops,
)
from ...prompts import TemplateError
from ...state import IndependentSettings, InputError, convert_input_error, is_budget_spent, parse_settings
from ...storage import get_timestamp
from ..display.terminal import Terminal
from ..protocols.hooks import get_hooks
from ..report import find_document
from ..run import InterruptHandler, RunInterruptedError, RunRequest, SilentTerminal, resume_run, run_to_end
from ..saved import (
    NO_SPENDING,
    Run,
    RunEnd,
    RunLockedError,
    RunState,
    SavedExperiment,
    SavedRun,
    Spending,
    Store,
    delete_run,
    get_process_identity,
    is_incomplete,
    load_saved_run,
    save_fork,
    sum_spending,
)
from .arms.requests import ArmNotRunError, build_fork_plan, load_arm_request, reopen_for_samples
from .endpoint_limits import EndpointLimits, RunCallLimiter, compute_run_budget, make_call_limiter
from .failures import find_failure
from .lifecycle import record_versions
from .plan import Plan, parse_plan
from .planned_runs import END_STATES, SAMPLED_ARMS, PlannedRun, build_talk_request, list_requirements, plan_runs
from .progress import ProgressListener
from .seal import check_sealed_words
from .tasks.confederates import run_with_confederates

LOST_BUDGET = "budget spent by lost calls"
"""Reason of a run that made fewer turns because calls were lost with a process. A retry starts the run again."""
MAX_STOPS_IN_ROW = 3
"""Number of consecutive stopped runs after which no further run begins."""


EarlyStop = Callable[[Store], Awaitable[str]]
"""Function that returns the reason not to start another run; empty to continue."""


@dataclass
class RunPool:
    """State that all runs of an experiment in one process share.

    `stop_messages`: reasons why runs stopped. `stops_in_row`: number of consecutive stops. `failure_messages`: reasons
    why runs failed. `locked_messages`: messages about runs that another process holds. `is_cap_reached`: whether the
    cap on all runs leaves too little for another run. `outages`: for each run that was parked, the error that parked
    it. `early_stop_reason`: reason for the early stop, or empty.
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
    """Queue of the remaining runs, in order.

    A run may have to wait for others, such as an arm's run for its deliberation. `end_states`: state of each run that
    is done or failed.
    """

    def __init__(self, plan: Plan, planned_runs: Sequence[PlannedRun], end_states: Mapping[str, str]) -> None:
        self._plan, self._remaining_runs, self._end_states = plan, list(planned_runs), dict(end_states)
        self._requirements = dict[str, list[str]]()
        self._end_count_by_run = dict[str, int]()
        self._end_count = 0
        self._change_condition = asyncio.Condition()

    async def take_next_run(self) -> PlannedRun | None:
        """Take the next run that can start. If all others wait for running ones, wait too.

        Return `None` if this process cannot start another run.
        """
        async with self._change_condition:
            while True:
                for planned_run in self._remaining_runs:
                    if self._can_start(planned_run, self._end_states.keys()):
                        self._remaining_runs.remove(planned_run)
                        self._end_count_by_run[planned_run.run] = self._end_count
                        return planned_run
                expected_names = self._end_states.keys() | self._end_count_by_run.keys()
                expected_names |= {
                    planned_run.run for planned_run in self._remaining_runs if not planned_run.prerequisites
                }
                if not any(self._can_start(planned_run, expected_names) for planned_run in self._remaining_runs):
                    return None
                await self._change_condition.wait()

    def _can_start(self, planned_run: PlannedRun, names: AbstractSet[str]) -> bool:
        """Return whether all runs that a planned run waits for are in `names`."""
        if not names >= set(planned_run.prerequisites):
            return False
        requirements = self._requirements.get(planned_run.run)
        if requirements is None:
            requirements = list_requirements(self._plan, planned_run, self._end_states)
            if not planned_run.donor and self._end_states.keys() >= set(
                planned_run.prerequisites
            ):  # a donor may still fail
                self._requirements[planned_run.run] = requirements
        return names >= set(requirements)

    async def finish_run(self, planned_run: PlannedRun, state: str) -> None:
        """Record that a run is no longer running, with its state."""
        async with self._change_condition:
            del self._end_count_by_run[planned_run.run]
            self._end_count += 1
            if state in END_STATES:
                self._end_states[planned_run.run] = state
            self._change_condition.notify_all()

    async def put_back_run(self, planned_run: PlannedRun) -> bool:
        """Put back a run that could not start, and wait until a running one ends.

        Return `False` if no other run is running.
        """
        async with self._change_condition:
            has_other_ended = self._end_count > self._end_count_by_run.pop(planned_run.run)
            self._remaining_runs.insert(0, planned_run)
            if has_other_ended:
                return True
            if self._end_count_by_run:
                await self._change_condition.wait()
                return True
            self._change_condition.notify_all()
            return False


async def execute_pool(pool: RunPool, planned_runs: Sequence[PlannedRun], jobs: int) -> None:
    """Execute planned runs, up to `jobs` at a time, until all have ended or the pool must stop.

    Raises the first unexpected exception of a run.
    """
    progress_by_run = await pool.store.experiments.map_progress(pool.plan.name)
    end_states = {run: progress.state for run, progress in progress_by_run.items() if progress.state in END_STATES}
    queue = RunQueue(pool.plan, planned_runs, end_states)
    await _update_early_stop(pool)

    async def run_from_queue() -> None:
        while pool.can_continue and (planned_run := await queue.take_next_run()):
            try:
                state = await execute_run(pool, planned_run)
            except RunLockedError as error:
                pool.locked_messages.append(str(error))
                await queue.finish_run(planned_run, "locked")
            else:
                if state is not None:
                    await queue.finish_run(planned_run, state)
                elif not await queue.put_back_run(planned_run):  # running runs may return the budget they do not need
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
        pool.early_stop_reason = await pool.early_stop(pool.store)


async def execute_run(pool: RunPool, planned_run: PlannedRun) -> RunState | None:
    """Execute a planned run from its last state to its end, and return its final state.

    Return `None` if the cap on all runs leaves too little for a start. Raises `RunLockedError` if another process holds
    the run, or if a required earlier run has not ended.
    """
    experiments, run, states = pool.store.experiments, planned_run.run, dict[str, str]()
    if planned_run.arm:
        progress_by_run = await experiments.map_progress(pool.plan.name)
        states = {name: progress.state for name, progress in progress_by_run.items()}
    for requirement in list_requirements(pool.plan, planned_run, states):
        if states.get(requirement) not in END_STATES:
            raise RunLockedError(f"{run} waits for {requirement}, which has not ended")
    request = build_talk_request(pool.plan, planned_run, pool.experiment.model)
    async with pool.store.lock(run):
        progress = await experiments.find_progress(run)
        if progress and progress.state in END_STATES:  # by another process in the meantime
            return progress.state
        pool.experiment = await record_versions(pool.store, pool.experiment)
        cap, budget, has_begun = pool.plan.cap.model_dump(), request.settings.budget, False
        while True:
            if progress and (progress.state, progress.why) == ("stopped", LOST_BUDGET):
                await delete_run(pool.store, run)
            own_budget = await compute_run_budget(pool.store, run, budget)
            if not await experiments.reserve_budget(pool.plan.name, run, own_budget, cap):
                break
            if not has_begun:
                pool.listener.report_start(planned_run)
            limiter = await make_call_limiter(
                pool.store, run, request.settings, pool.limits, pool.listener.report_call, pool.plan.cap
            )
            has_begun, end = True, await _run_to_end(pool, planned_run, request, limiter)
            await _record_end(pool.store, pool.plan, run, end, limiter)
            progress = await experiments.find_progress(run)
            if not end.failure or progress is None or progress.state != "stopped":
                break
    if not has_begun or progress is None:
        return None
    state = progress.state
    pool.listener.report_end(planned_run, state, end.reason)
    pool.done_count += state == "done"
    pool.failure_messages += [end.reason] * (state == "failed")
    return state


async def _run_to_end(pool: RunPool, planned_run: PlannedRun, request: RunRequest, limiter: RunCallLimiter) -> RunEnd:
    try:
        if planned_run.arm and not planned_run.fork:
            request = await load_arm_request(pool.store, pool.experiment, pool.plan, planned_run)
        check_same_addresses(request.settings, request.models, pool.experiment.addresses)
        check_sealed_words(pool.experiment, pool.plan, request)
        with use_call_limiter(limiter), use_stops(pool.plan.stops):
            end = _build_run_end(pool.plan, await _start_or_resume_run(pool, planned_run, request))
    except (RunStoppedError, RunInterruptedError) as stop_error:
        reason = "interrupted"
        if isinstance(stop_error, RunStoppedError):
            reason = str(stop_error)
            pool.stop_messages.append(reason)
            pool.stops_in_row += 1
        if isinstance(stop_error, ServerOutageError):
            pool.outages[planned_run.run] = stop_error
        return RunEnd("stopped", reason, await _load_spending(pool.store, planned_run.run) or NO_SPENDING)
    except (ArmNotRunError, InputError, TemplateError) as error:
        if spending := await _load_spending(pool.store, planned_run.run):  # refused here and now, such as its server
            pool.stop_messages.append(str(error))
            pool.stops_in_row += 1
            return RunEnd("stopped", str(error), spending)
        return RunEnd("failed", str(error), failure="not_begun")
    except ValidationError as error:
        return RunEnd("failed", str(convert_input_error(error)), failure="not_begun")
    pool.stops_in_row = 0
    return end


async def _load_spending(store: Store, run: str) -> Spending | None:
    with suppress(InputError):  # a run that could not begin has no record
        saved_run = await load_saved_run(store, run)
        return _sum_spending(saved_run) if saved_run.has_begun else None
    return None


def _sum_spending(saved_run: SavedRun) -> Spending:
    state = saved_run.state
    return sum_spending(state["calls"][saved_run.run.forked_calls :], state["settings"].prices)


def _build_run_end(plan: Plan, saved_run: SavedRun) -> RunEnd:
    state, spending = saved_run.state, _sum_spending(saved_run)
    calls = state["calls"][saved_run.run.forked_calls :]
    if any(call.is_lost for call in calls) and saved_run.has_ended:  # it made fewer turns if its budget was spent
        kinds = [state["outcome"].reason if state["outcome"] else "", *(entry.kind for entry in state["incidents"])]
        is_alone = isinstance(state["settings"], IndependentSettings)
        if is_budget_spent(state["settings"], state["calls"]) if is_alone else "budget_spent" in kinds:
            return RunEnd("failed", LOST_BUDGET, spending, "stopped")
    if failure := find_failure(state, plan.has_comparisons):
        return RunEnd("failed", state["outcome"].headline if state["outcome"] else "", spending, failure)
    return RunEnd("done", "", spending)


async def _start_or_resume_run(pool: RunPool, planned_run: PlannedRun, request: RunRequest) -> SavedRun:
    """Start a run, or resume it from its last state, and return the saved run. The caller holds its lock."""
    store, run, settings = pool.store, planned_run.run, request.settings
    if settings.record or settings.replay:
        settings = settings.with_choices(recording_id=run)  # a recording is filed under the run's name
    run_row = Run(
        run=run,
        protocol=request.protocol.name,
        topic=request.topic,
        started=get_timestamp(),
        settings=settings.model_dump(mode="json"),
        experiment=pool.plan.name,
        condition=planned_run.condition.label,
        item=planned_run.item.id,
        repeat=planned_run.repeat,
    )
    terminal = SilentTerminal(store.address)
    terminal.callbacks = [*get_hooks(request.protocol.name).callbacks(request.settings, run, store.address)]

    def run_with_input(input: Any) -> Awaitable[SavedRun]:
        return run_to_end(store, run, input, terminal, pool.interrupts)

    if planned_run.fork:
        await save_fork(store, await build_fork_plan(store, planned_run, run_row))
    if planned_run.fork or not await store.runs.add_run(run_row):
        saved_run = await load_saved_run(store, run)
        if planned_run.arm in SAMPLED_ARMS and saved_run.has_ended:
            saved_run = await reopen_for_samples(store, saved_run, settings)
        if saved_run.has_ended and not is_incomplete(saved_run):
            return saved_run
        if saved_run.has_begun:
            pending_run = resume_run(store, saved_run, terminal, pool.interrupts)
            return await run_with_confederates(store, run, planned_run.item, pending_run, run_with_input)
    await store.runs.save_holder(run, get_process_identity())
    return await run_with_confederates(store, run, planned_run.item, run_with_input(request.input), run_with_input)


async def resume_experiment_run(store: Store, saved_run: SavedRun, terminal: Terminal) -> SavedRun:
    """Resume a single run of an experiment and return it. The caller holds the run's lock.

    Raises `RunStoppedError` if the run stops or the cap on all runs leaves too little.
    """
    experiment, run = await store.experiments.get_experiment(saved_run.run.experiment), saved_run.run.run
    experiment = await record_versions(store, experiment)
    plan = parse_plan(experiment.plan)
    planned_run = next(planned_run for planned_run in plan_runs(plan) if planned_run.run == run)
    check_sealed_words(experiment, plan, build_talk_request(plan, planned_run, experiment.model))
    settings = parse_settings(saved_run.run.settings)
    budget = await compute_run_budget(store, run, settings.budget)
    if not await store.experiments.reserve_budget(plan.name, run, budget, plan.cap.model_dump()):
        cap = plan.cap.model_dump(exclude_none=True)
        raise RunStoppedError(f"cap = {cap} of {plan.name}: what is left is too little for this run")
    limiter = await make_call_limiter(
        store, run, settings, EndpointLimits(plan.limits, store.endpoints), lambda call: None, plan.cap
    )
    end = RunEnd("stopped", "interrupted")
    try:
        with use_call_limiter(limiter), use_stops(plan.stops):
            saved_run = await resume_run(store, saved_run, terminal)
        end = _build_run_end(plan, saved_run)
        return saved_run
    except RunStoppedError as error:
        end = RunEnd("stopped", str(error))
        raise
    finally:
        await _record_end(store, plan, run, end, limiter)


async def _record_end(store: Store, plan: Plan, run: str, end: RunEnd, limiter: RunCallLimiter) -> None:
    end = end._replace(spending=Spending._make(map(max, end.spending, limiter.spent)))  # the higher of each amount
    document = await find_document(store, plan.name, run) if end.state in END_STATES else None
    await store.experiments.record_end(plan.name, run, end, document, plan.attempts)
