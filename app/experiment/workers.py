"""Runs of experiments handed out to workers on any machine: a queue in the PostgreSQL database they are saved in.

Each run is one job, which says that there is something to do. Who may do it is decided by the run's lock alone: a job
that is handed out twice, or once too often, makes no call twice.
"""

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from procrastinate import App, BaseRetryStrategy, PsycopgConnector, RetryDecision
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.jobs import Job
from procrastinate.worker import Worker

from ...nodes.address import without_password
from ...nodes.models.chat import close_models
from ...nodes.models.failures import Stopped
from ..run import CtrlC
from ..saved import Store
from ..saved.experiments import State, Stored
from ..saved.postgres import CONNECT_SECONDS, KEEPALIVE, connected
from .begin import stored_plan
from .course import to_run
from .draw import Trial, trials
from .limits import limits_of
from .progress import Watch
from .runner import PATIENCE, Crew, run_one

QUEUE, TASK = "moot", "moot.run"
HEARTBEAT, DEAD, FORGOTTEN = 5.0, 15.0, 86_400.0
"""Seconds between two signs of life of a worker; without one before its jobs are looked at, and it is forgotten."""
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


async def _put_one_by_one(app: App, jobs: list[Job]) -> None:
    for job in jobs:
        try:
            await app.job_manager.defer_job_async(job)
        except AlreadyEnqueued:
            continue


class Told(Watch):
    """Tells of each run that is no longer under way."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.tell = tell

    def ended(self, trial: Trial, state: State, why: str) -> None:
        """A run is no longer under way."""
        self.tell(f"{trial.run}: {state}{f': {why}' if why else ''}")


@dataclass
class Share:
    """What one worker does of all there is to do.

    `crews`: by experiment, what its runs share, and its runs by name. `fault`: what ends the worker.
    """

    store: Store
    tell: Callable[[str], None]
    ctrl_c: CtrlC
    stop: Callable[[], None] = lambda: None
    crews: dict[str, tuple[Crew, dict[str, Trial]]] = field(default_factory=dict)
    running: set["asyncio.Task[None]"] = field(default_factory=set)
    fault: BaseException | None = None

    async def job(self, experiment: str, run: str, changes: int) -> None:
        """Do one job; what nobody expected ends the worker."""
        task = asyncio.create_task(self._run(experiment, run, changes))
        self.running.add(task)
        await asyncio.wait([task])
        self.running.discard(task)
        fault = None if task.cancelled() else task.exception()
        if fault is not None and not isinstance(fault, Stopped):
            self.fault = fault
            self.stop()
        await task

    async def _run(self, experiment: str, run: str, changes: int) -> None:
        """Run it, unless it has ended. Raises `Stopped` where it is to be tried again."""
        crew, drawn = await self._crew(experiment, changes)
        while (state := await self._once(crew, drawn[run])) is None and await self._are_others_running(crew):
            await asyncio.sleep(TEND)
        if crew.in_a_row >= PATIENCE:
            self.fault = self.fault or Stopped(f"{len(crew.stopped)} runs stopped, the last: {crew.stopped[-1]}")
            self.stop()
        if state == "stopped":
            raise Later(f"{run} stopped")
        if state is None:
            self.tell(f"{run}: too little is left of the cap for another run")

    async def _once(self, crew: Crew, trial: Trial) -> State | None:
        if self.ctrl_c.control.drain_requested:
            raise Later("the worker was told to stop")
        return await run_one(crew, trial)

    async def _are_others_running(self, crew: Crew) -> bool:
        """Whether runs are under way that may leave enough of the cap for one that does not fit now."""
        begun = await self.store.experiments.standings(crew.plan.name)
        return any([one.state == "begun" and await self.store.is_held(run) for run, one in begun.items()])

    async def _crew(self, experiment: str, changes: int) -> tuple[Crew, dict[str, Trial]]:
        """What the runs of an experiment share, with all it was given more of when the job was handed out."""
        known = self.crews.get(experiment)
        if known is None or len(known[0].stored.changes) < changes:
            stored = await self.store.experiments.get(experiment)
            plan = stored_plan(stored)
            crew = Crew(self.store, stored, plan, limits_of(self.store, plan), Told(self.tell), self.ctrl_c)
            known = self.crews[experiment] = crew, {one.run: one for one in trials(plan)}
        return known

    @contextmanager
    def stoppable(self) -> Iterator[None]:
        """Within the block SIGTERM and Ctrl-C end the worker after the current steps, once more at once."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop, signals = asyncio.get_running_loop(), (signal.SIGTERM, signal.SIGINT)
        for one in signals:
            loop.add_signal_handler(one, self._told)
        try:
            yield
        finally:
            for one in signals:
                loop.remove_signal_handler(one)

    def _told(self) -> None:
        self.ctrl_c.times += 1
        if self.ctrl_c.times == 1:
            self.ctrl_c.drain()
            self.stop()
        else:
            for task in self.running:
                task.cancel()


async def work(store: Store, address: str, jobs: int, until_done: bool, tell: Callable[[str], None]) -> None:
    """Run what is in the queue, so many at once, until told to stop, or until nothing is left.

    Raises `Stopped` where the database is lost or runs stop one after another.
    """
    share = Share(store, tell, CtrlC(lambda: tell("stopping after the current steps; once more: at once")))
    async with opened_queue(address) as app:
        app.task(name=TASK, queue=QUEUE, retry=Again())(share.job)
        worker = Worker(app, queues=[QUEUE], concurrency=jobs, delete_jobs="successful", **TIMES)
        share.stop = worker.stop
        tending = asyncio.create_task(tend(app, store, until_done))
        tending.add_done_callback(lambda _: share.stop())
        try:
            with share.stoppable():
                await worker.run()  # type: ignore[no-untyped-call]
        finally:
            await close_models()
        if share.fault:
            raise share.fault
        if not (share.ctrl_c.times or tending.done()):
            raise Stopped(f"db = {store.where}: the queue was lost; what was saved before is whole")
        tending.cancel()
        await asyncio.wait([tending])
        if not tending.cancelled():
            tending.result()


TIMES: dict[str, Any] = {
    "fetch_job_polling_interval": TEND,
    "install_signal_handlers": False,
    "update_heartbeat_interval": HEARTBEAT,
    "stalled_worker_timeout": FORGOTTEN,
}


async def tend(app: App, store: Store, until_done: bool) -> None:
    """Put back the jobs of workers that died, every second, until nothing is left.

    One that gives no sign of life may be frozen: as long as it holds the lock of a run, nobody else can have that.
    """
    left = "SELECT EXISTS (SELECT 1 FROM procrastinate_jobs WHERE task_name = %(task)s AND status IN ('todo', 'doing'))"
    while True:
        for job in await app.job_manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=DEAD):
            if not await store.is_held(str(job.lock)):
                await put_back(app, job)
        if until_done and not (await app.connector.execute_query_one_async(left, task=TASK))["exists"]:
            return
        await asyncio.sleep(TEND)


async def put_back(app: App, job: Job) -> None:
    """Let a job be done by another worker, unless one was faster."""
    try:
        await app.job_manager.retry_job(job, priority=FIRST)
    except ConnectorException as fault:
        if not isinstance(fault.__cause__, psycopg.errors.RaiseException):
            raise
