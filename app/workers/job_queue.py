"""Queue of jobs for workers. Each job is a run that must start or continue.

Only the process with a run's lock works on the run. So even if two workers get the same job, they make no call twice.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime

import psycopg
from procrastinate import App, BaseRetryStrategy, PsycopgConnector, RetryDecision
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.jobs import Job

from ...models import RunStoppedError
from ...storage import hide_password
from ..experiment import check_open, list_remaining_runs, parse_plan, plan_runs
from ..saved import CONNECT_SECONDS, KEEPALIVE, SavedExperiment, Store, connect_postgres, make_database_error

QUEUE, EXPERIMENT_TASK, SINGLE_TASK = "moot", "moot.run", "moot.alone"
"""Names of the queue and of its two tasks: a run of an experiment, and a run outside of experiments."""
QUEUE_POLL = 1.0
"""Seconds between two checks of the queue."""
PARKED_INTERVAL = 30
"""Seconds between two attempts to resume a parked run of an experiment."""


class RetryLaterError(RunStoppedError):
    """Error for a run that cannot continue now, but may continue soon.

    `retry_at`: time until which the model's server is left alone, ISO 8601; empty if Moot must try
    every `PARKED_INTERVAL` seconds. `None`: the run may continue at once.
    """

    def __init__(self, message: str, retry_at: str | None = None) -> None:
        super().__init__(message)
        self.retry_at = retry_at


class RunRetryStrategy(BaseRetryStrategy):
    """Strategy that repeats a job if its run stopped or is locked, but not after a defect in Moot."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        if isinstance(exception, RetryLaterError) and exception.retry_at is not None:
            if exception.retry_at:
                return RetryDecision(retry_at=datetime.fromisoformat(exception.retry_at))
            return RetryDecision(retry_in={"seconds": PARKED_INTERVAL})
        if isinstance(exception, RunStoppedError | psycopg.Error | asyncio.CancelledError):
            return RetryDecision(retry_in={"seconds": 2})
        return None


@asynccontextmanager
async def open_queue(address: str) -> AsyncIterator[App]:
    """Open the queue of a database and create missing tables.

    Raises `DatabaseLostError` if the connection to the database is lost.
    """
    connector = PsycopgConnector(
        conninfo=address,
        kwargs={"connect_timeout": CONNECT_SECONDS, **KEEPALIVE},
        min_size=1,
        max_size=4,
        timeout=CONNECT_SECONDS,
        reconnect_timeout=CONNECT_SECONDS,
    )
    app = App(connector=connector)
    try:
        async with app.open_async():
            async with await connect_postgres(address) as connection:  # closing the connection frees the lock
                await connection.execute("SELECT pg_advisory_lock(hashtext('moot queue'))")
                if not await app.check_connection_async():
                    await app.schema_manager.apply_schema_async()
            yield app
    except ConnectorException as error:
        raise make_database_error(hide_password(address), error.__cause__ or error) from error


async def enqueue_experiment(store: Store, saved_experiment: SavedExperiment, address: str, retry_failed: bool) -> int:
    """Queue the remaining runs of an experiment and return their number.

    `retry_failed`: whether to include failed runs.
    """
    check_open(saved_experiment)
    if retry_failed:
        await store.experiments.reset_failed_runs(saved_experiment)
    remaining_runs = list_remaining_runs(
        plan_runs(parse_plan(saved_experiment.plan)), await store.experiments.map_progress(saved_experiment.name)
    )
    async with open_queue(address) as app:
        arguments = {"experiment": saved_experiment.name, "changes": len(saved_experiment.changes)}
        jobs = [
            app.configure_task(
                EXPERIMENT_TASK, queue=QUEUE, lock=run, queueing_lock=run, task_kwargs={**arguments, "run": run}
            ).job
            for run in [planned_run.run for planned_run in remaining_runs]
        ]
        try:
            await app.job_manager.batch_defer_jobs_async(jobs)
        except AlreadyEnqueued:  # some of them wait there already
            await _enqueue_each(app, jobs)
    return len(remaining_runs)


class QueueClient:
    """Client that queues runs that do not belong to an experiment."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def hand_over_run(self, run: str) -> None:
        """Queue a run, unless it is already queued."""
        task = self._app.configure_task(SINGLE_TASK, queue=QUEUE, lock=run, queueing_lock=run, task_kwargs={"run": run})
        await _enqueue_each(self._app, [task.job])

    async def is_waiting(self, run: str) -> bool:
        """Return whether a run has a job that is queued or in progress."""
        return any(
            job.status in ("todo", "doing") for job in await self._app.job_manager.list_jobs_async(queueing_lock=run)
        )


async def _enqueue_each(app: App, jobs: list[Job]) -> None:
    for job in jobs:
        try:
            await app.job_manager.defer_job_async(job)
        except AlreadyEnqueued:
            continue


async def watch_queue(app: App, store: Store, exits_when_empty: bool) -> None:
    """Return the jobs of dead workers to the queue, once a second.

    A worker that no longer reports may only be suspended, so it keeps its job while it holds the run's lock.
    `exits_when_empty`: whether to return when the queue is empty.
    """
    remaining_query = (
        "SELECT EXISTS (SELECT 1 FROM procrastinate_jobs WHERE queue_name = %(queue)s AND status IN ('todo', 'doing'))"
    )
    while True:
        for job in await app.job_manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=15.0):
            if not await store.is_held(str(job.lock)):
                try:
                    await app.job_manager.retry_job(job, priority=1)
                except ConnectorException as error:  # another process may have done so
                    if not isinstance(error.__cause__, psycopg.errors.RaiseException):
                        raise
        if (
            exits_when_empty
            and not (await app.connector.execute_query_one_async(remaining_query, queue=QUEUE))["exists"]
        ):
            return
        await asyncio.sleep(QUEUE_POLL)
