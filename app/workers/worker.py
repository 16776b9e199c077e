"""Worker that takes jobs from the queue until it is stopped: single runs, and runs of experiments."""

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import psycopg
from procrastinate.exceptions import ConnectorException
from procrastinate.worker import Worker

from ...models import RunStoppedError, close_models, use_client_policy
from ...state import InputError
from ..experiment import (
    END_STATES,
    MAX_STOPS_IN_ROW,
    EndpointLimits,
    PlannedRun,
    ProgressListener,
    RunPool,
    close_experiment,
    execute_run,
    make_early_stop,
    parse_plan,
    plan_runs,
)
from ..people.deadlines import DeadlineEnforcer
from ..run import (
    STOP_ERRORS,
    InterruptHandler,
    RunInterruptedError,
    SilentTerminal,
    describe_defect,
    end_task,
    explain_failure,
)
from ..saved import RunState, Store, make_database_error, save_fault
from ..session.participation import resume_saved_run
from .job_queue import (
    EXPERIMENT_TASK,
    QUEUE,
    QUEUE_POLL,
    SINGLE_TASK,
    QueueClient,
    RetryLaterError,
    RunRetryStrategy,
    enqueue_experiment,
    open_queue,
    watch_queue,
)

__all__ = ["QueueClient", "enqueue_experiment", "open_queue", "run_worker"]


class EndReporter(ProgressListener):
    """Listener that shows a line for each run that has ended or stopped."""

    def __init__(self, show_line: Callable[[str], None]) -> None:
        self.show_line = show_line

    def report_end(self, planned_run: PlannedRun, state: RunState, reason: str) -> None:
        self.show_line(f"{planned_run.run}: {state}{f': {reason}' if reason else ''}")


@dataclass
class JobRunner:
    """Runner that executes the jobs of one worker.

    `pools`: for each experiment, the shared state of its runs, with its planned runs by name. `fault`: exception that
    ends the worker.
    """

    store: Store
    address: str
    show_line: Callable[[str], None]
    interrupts: InterruptHandler
    stop_worker: Callable[[], None] = lambda: None
    pools: dict[str, tuple[RunPool, dict[str, PlannedRun]]] = field(default_factory=dict)
    running_tasks: set["asyncio.Task[None]"] = field(default_factory=set)
    fault: BaseException | None = None

    async def run_experiment_job(self, experiment: str, run: str, changes: int) -> None:
        """Execute the job of a run in an experiment.

        `changes`: number of changes of the experiment when the job was queued.
        """
        await self._run_job(run, self._run_planned_job(experiment, run, changes))

    async def run_single_job(self, run: str) -> None:
        """Execute the job of a run that does not belong to an experiment."""
        await self._run_job(run, self._resume_run(run))

    async def _run_job(self, run: str, job: Coroutine[Any, Any, None]) -> None:
        """Execute one job. An unexpected exception ends the worker."""
        task = asyncio.create_task(job)
        self.running_tasks.add(task)
        await asyncio.wait([task])
        self.running_tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None and not isinstance(error, RunStoppedError):
            self.fault = error
            self.stop_worker()
            if not isinstance(error, psycopg.Error):
                with suppress(InputError):  # it was deleted in the meantime
                    if not (await self.store.runs.get_run(run)).is_finished:
                        await save_fault(self.store, run, describe_defect(error))
        await task

    async def _run_planned_job(self, experiment: str, run: str, changes: int) -> None:
        """Execute a planned run, unless the experiment needs no more runs.

        `changes`: number of changes of the experiment when the job was queued. Raises `RetryLaterError` if the job must
        be repeated later.
        """
        pool, planned_runs = await self._load_pool(experiment, changes)
        progress = await self.store.experiments.find_progress(run)
        if progress and progress.state in END_STATES:  # it was closed in the meantime
            return
        if pool.early_stop and (stop_reason := await pool.early_stop(self.store)):
            self.show_line(f"{run}: not started. {stop_reason}")
            saved_experiment = await self.store.experiments.get_experiment(experiment)
            if not saved_experiment.closed:
                await close_experiment(self.store, saved_experiment, stop_reason, fails=False)
            return
        while True:
            if self.interrupts.control.drain_requested or pool.stops_in_row >= MAX_STOPS_IN_ROW:
                raise RetryLaterError("the worker was told to stop")
            state = await execute_run(pool, planned_runs[run])
            if state is not None:
                break
            # When other active runs end, enough of the cap may be left for this run.
            progress_by_run = (await self.store.experiments.map_progress(experiment)).items()
            active_runs = [other_run for other_run, progress in progress_by_run if progress.state == "begun"]
            if not any([await self.store.is_held(active_run) for active_run in active_runs]):
                break
            await asyncio.sleep(QUEUE_POLL)
        if outage := pool.outages.pop(run, None):
            pool.stops_in_row = 0
            raise RetryLaterError(f"{run} is parked", outage.retry_at)
        if pool.stops_in_row >= MAX_STOPS_IN_ROW:
            self.fault = self.fault or RunStoppedError(
                f"{len(pool.stop_messages)} runs stopped, the last: {pool.stop_messages[-1]}"
            )
            self.stop_worker()
        if state == "stopped":
            raise RetryLaterError(f"{run} stopped")
        if state is None:
            self.show_line(f"{run}: the cap is too low for another run")

    async def _resume_run(self, run: str) -> None:
        """Resume a run until it ends or waits for a person.

        Raises `RetryLaterError` if another worker must continue it.
        """
        if self.interrupts.control.drain_requested:
            raise RetryLaterError("the worker was told to stop")
        try:
            terminal = SilentTerminal(self.store.address)
            with use_client_policy((await self.store.runs.get_run(run)).client_models):
                await resume_saved_run(self.store, self.address, run, terminal, self.interrupts)
        except RunInterruptedError:
            raise RetryLaterError(f"{run} stopped") from None
        except STOP_ERRORS as error:
            self.show_line(f"{run}: {explain_failure(error).line}")
        else:
            self.show_line(f"{run}: done")

    async def _load_pool(self, experiment: str, changes: int) -> tuple[RunPool, dict[str, PlannedRun]]:
        """Return the shared state of an experiment's runs, and the planned runs by name.

        Load it again if someone raised the experiment's caps before the job was queued.
        """
        pool_entry = self.pools.get(experiment)
        if pool_entry is None or len(pool_entry[0].experiment.changes) < changes:
            saved_experiment = await self.store.experiments.get_experiment(experiment)
            plan = parse_plan(saved_experiment.plan)
            pool = RunPool(
                self.store,
                saved_experiment,
                plan,
                EndpointLimits(plan.limits, self.store.endpoints),
                EndReporter(self.show_line),
                self.interrupts,
                early_stop=make_early_stop(plan),
            )
            pool_entry = self.pools[experiment] = (
                pool,
                {planned_run.run: planned_run for planned_run in plan_runs(plan)},
            )
        return pool_entry

    def end_on_lost_queue(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """End the worker if the queue could not save a job's result.

        Nobody awaits the task that saves it. So the job would otherwise count as in progress for as long as this worker
        lives.
        """
        error = context.get("exception")
        if not isinstance(error, ConnectorException):
            loop.default_exception_handler(context)
            return
        self.fault = self.fault or error
        self.stop_worker()

    @contextmanager
    def handle_signals(self) -> Iterator[None]:
        """Handle SIGTERM and Ctrl-C within the `with` block.

        The first signal ends the worker after the current steps. The second ends it at once.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop_on_signal() -> None:
            self.interrupts.count += 1
            if self.interrupts.count == 1:
                self.interrupts.drain_runs()
                self.stop_worker()
            else:
                for task in self.running_tasks:
                    task.cancel()

        loop, signals = asyncio.get_running_loop(), (signal.SIGTERM, signal.SIGINT)
        for signal_number in signals:
            loop.add_signal_handler(signal_number, stop_on_signal)
        try:
            yield
        finally:
            for signal_number in signals:
                loop.remove_signal_handler(signal_number)


async def run_worker(
    store: Store, address: str, job_limit: int, exits_when_empty: bool, show_line: Callable[[str], None]
) -> None:
    """Execute up to `job_limit` jobs of the queue at once, until the worker is stopped.

    `address`: address of the database. `exits_when_empty`: whether to stop when the queue is empty. `show_line`:
    function that shows a line. Raises `DatabaseLostError` if the connection drops, and `RunStoppedError` if several
    runs in a row stop.
    """
    runner = JobRunner(
        store,
        address,
        show_line,
        InterruptHandler(lambda: show_line("stopping after the current steps. Press Ctrl-C again to stop at once.")),
    )
    async with open_queue(address) as app:
        app.task(name=EXPERIMENT_TASK, queue=QUEUE, retry=RunRetryStrategy())(runner.run_experiment_job)
        app.task(name=SINGLE_TASK, queue=QUEUE, retry=RunRetryStrategy())(runner.run_single_job)
        worker = Worker(
            app,
            queues=[QUEUE],
            concurrency=job_limit,
            delete_jobs="successful",
            fetch_job_polling_interval=QUEUE_POLL,
            install_signal_handlers=False,
            update_heartbeat_interval=5.0,
            stalled_worker_timeout=86_400.0,
        )
        runner.stop_worker = worker.stop
        asyncio.get_running_loop().set_exception_handler(runner.end_on_lost_queue)
        queue_task = asyncio.create_task(watch_queue(app, store, exits_when_empty))
        deadline_task = asyncio.create_task(DeadlineEnforcer(store, QueueClient(app).hand_over_run).enforce_all())
        for task in (queue_task, deadline_task):
            task.add_done_callback(lambda _: runner.stop_worker())
        try:
            with runner.handle_signals():
                await worker.run()  # type: ignore[no-untyped-call]
        finally:
            is_queue_empty = queue_task.done()
            errors = [runner.fault, *[await end_task(task) for task in (queue_task, deadline_task)]]
            await close_models()
        for error in filter(None, errors):
            raise error
        if not (runner.interrupts.count or is_queue_empty):
            raise make_database_error(store.address, ConnectionError("the connection to the queue broke"))
