"""The queue of runs: each is one job, which says that there is something to do.

Who may do it is decided by the run's lock alone: a job that is handed out twice, or once too often, makes no call
twice.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
from procrastinate import App, BaseRetryStrategy, PsycopgConnector, RetryDecision
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.jobs import Job

from ...nodes.address import without_password
from ...nodes.models.failures import Stopped
from ..experiment.begin import stored_plan
from ..experiment.course import to_run
from ..experiment.draw import Trial, trials
from ..saved import Store
from ..saved.experiments import Stored
from ..saved.postgres import CONNECT_SECONDS, KEEPALIVE, connected

QUEUE, TASK, ALONE = "moot", "moot.run", "moot.alone"
"""The queue, and what its jobs are: a run of an experiment, or one that belongs to none."""
DEAD = 15.0
"""Seconds without a sign of life of a worker before its jobs are looked at."""
TEND, LATER = 1.0, 2
"""Seconds between two looks at the queue, and before a run that could not be begun is tried again."""
FIRST = 1
"""The priority of a run that was under way: it does not wait behind those that were not."""


class Later(Stopped):
    """A run that cannot go on now, and may soon."""


class Again(BaseRetryStrategy):
    """A job comes back where its run stopped, or is held elsewhere; not where it met a defect."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """When it comes back."""
        if isinstance(exception, Stopped | psycopg.Error | asyncio.CancelledError):
            return RetryDecision(retry_in={"seconds": LATER})
        return None


@asynccontextmanager
async def opened_queue(address: str) -> AsyncIterator[App]:
    """The queue of a database, its tables made if they are missing. Raises `Stopped` where the database is lost."""
    connection = {"connect_timeout": CONNECT_SECONDS, **KEEPALIVE}
    app = App(connector=PsycopgConnector(conninfo=address, min_size=1, max_size=4, kwargs=connection))
    try:
        async with app.open_async():
            await set_up(app, address)
            yield app
    except ConnectorException as lost:
        where = without_password(address)
        raise Stopped(f"db = {where}: {lost.__cause__ or lost}; what was saved before is whole") from lost


async def set_up(app: App, address: str) -> None:
    """Make the queue's tables, one process at a time, if they are missing."""
    async with await connected(address) as alone:  # whose end frees the lock
        await alone.execute("SELECT pg_advisory_lock(hashtext('moot queue'))")
        if not await app.check_connection_async():
            await app.schema_manager.apply_schema_async()


async def hand_out(store: Store, stored: Stored, address: str, again: bool) -> int:
    """Put what is left of an experiment into the queue; gives how many runs that is. `again`: failed ones too."""
    if again:
        await store.experiments.reopen(stored.name)
    left = to_run(trials(stored_plan(stored)), await store.experiments.standings(stored.name))
    async with opened_queue(address) as app:
        jobs = [_job(app, stored, one) for one in left]
        try:
            await app.job_manager.batch_defer_jobs_async(jobs)
        except AlreadyEnqueued:  # some of them wait there already
            await _put_one_by_one(app, jobs)
    return len(left)


def _job(app: App, stored: Stored, trial: Trial) -> Job:
    told = {"experiment": stored.name, "run": trial.run, "changes": len(stored.changes)}
    return app.configure_task(TASK, queue=QUEUE, lock=trial.run, queueing_lock=trial.run, task_kwargs=told).job


class Handing:
    """Hands over runs that belong to no experiment."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def hand_over(self, run: str) -> None:
        """Put a run into the queue, unless it waits there already."""
        task = self._app.configure_task(ALONE, queue=QUEUE, lock=run, queueing_lock=run, task_kwargs={"run": run})
        await _put_one_by_one(self._app, [task.job])

    async def is_waiting(self, run: str) -> bool:
        """Whether a run waits in the queue for a worker, or one has it in hand."""
        jobs = await self._app.job_manager.list_jobs_async(queueing_lock=run)
        return any(one.status in ("todo", "doing") for one in jobs)


async def _put_one_by_one(app: App, jobs: list[Job]) -> None:
    for job in jobs:
        try:
            await app.job_manager.defer_job_async(job)
        except AlreadyEnqueued:
            continue


async def tend(app: App, store: Store, until_done: bool) -> None:
    """Put back the jobs of workers that died, every second, until nothing is left.

    One that gives no sign of life may be frozen: as long as it holds the lock of a run, nobody else can have that.
    """
    left = (
        "SELECT EXISTS (SELECT 1 FROM procrastinate_jobs WHERE queue_name = %(queue)s AND status IN ('todo', 'doing'))"
    )
    while True:
        for job in await app.job_manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=DEAD):
            if not await store.is_held(str(job.lock)):
                await put_back(app, job)
        if until_done and not (await app.connector.execute_query_one_async(left, queue=QUEUE))["exists"]:
            return
        await asyncio.sleep(TEND)


async def put_back(app: App, job: Job) -> None:
    """Let a job be done by another worker, unless one was faster."""
    try:
        await app.job_manager.retry_job(job, priority=FIRST)
    except ConnectorException as fault:
        if not isinstance(fault.__cause__, psycopg.errors.RaiseException):
            raise
