"""A worker: it takes runs from the queue, of any experiment or of none, until it is told to stop."""

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from procrastinate.worker import Worker

from ...nodes.models.chat import close_models
from ...nodes.models.failures import Stopped
from ..experiment.begin import stored_plan
from ..experiment.course import stop_of
from ..experiment.draw import Trial, trials
from ..experiment.limits import limits_of
from ..experiment.progress import Watch
from ..experiment.runner import PATIENCE, Crew, Quiet, run_one
from ..failure import Interrupted, defect, failure
from ..people.deadlines import Deadlines
from ..run import FAULTS, INSIST, CtrlC, write_fault
from ..saved import Store
from ..saved.experiments import State
from ..session.go_on import go_on
from .queue import ALONE, QUEUE, TASK, TEND, Again, Handing, Later, hand_out, opened_queue, tend

__all__ = ["Handing", "hand_out", "opened_queue", "work"]

HEARTBEAT, FORGOTTEN = 5.0, 86_400.0
"""Seconds between two signs of life of a worker; without one before it is forgotten."""


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
    address: str
    tell: Callable[[str], None]
    ctrl_c: CtrlC
    stop: Callable[[], None] = lambda: None
    crews: dict[str, tuple[Crew, dict[str, Trial]]] = field(default_factory=dict)
    running: set["asyncio.Task[None]"] = field(default_factory=set)
    fault: BaseException | None = None

    async def job(self, experiment: str, run: str, changes: int) -> None:
        """Do the job of a run of an experiment."""
        await self._do(run, self._run(experiment, run, changes))

    async def alone(self, run: str) -> None:
        """Do the job of a run that belongs to no experiment."""
        await self._do(run, self._go_on(run))

    async def _do(self, run: str, work: Coroutine[Any, Any, None]) -> None:
        """Do one job; what nobody expected ends the worker."""
        task = asyncio.create_task(work)
        self.running.add(task)
        await asyncio.wait([task])
        self.running.discard(task)
        fault = None if task.cancelled() else task.exception()
        if fault is not None and not isinstance(fault, Stopped):
            self.fault = fault
            self.stop()
            if not isinstance(fault, psycopg.Error) and await self.store.runs.unfinished(run):
                await write_fault(self.store, run, defect(fault))
        await task

    async def _run(self, experiment: str, run: str, changes: int) -> None:
        """Run it, unless it has ended. Raises `Stopped` where it is to be tried again."""
        crew, drawn = await self._crew(experiment, changes)
        if crew.stop and (enough := await crew.stop.reached(self.store)):
            self.tell(f"{run}: not begun. {enough}")
            return
        while (state := await self._once(crew, drawn[run])) is None and await self._are_others_running(crew):
            await asyncio.sleep(TEND)
        if crew.in_a_row >= PATIENCE:
            self.fault = self.fault or Stopped(f"{len(crew.stopped)} runs stopped, the last: {crew.stopped[-1]}")
            self.stop()
        if state == "stopped":
            raise Later(f"{run} stopped")
        if state is None:
            self.tell(f"{run}: too little is left of the cap for another run")

    async def _go_on(self, run: str) -> None:
        """Go on with it until it ends, or waits for somebody. Raises `Later` where another worker is to go on."""
        if self.ctrl_c.control.drain_requested:
            raise Later("the worker was told to stop")
        try:
            await go_on(self.store, self.address, run, Quiet(self.store.where), self.ctrl_c)
        except Interrupted:
            raise Later(f"{run} stopped") from None
        except FAULTS as fault:
            self.tell(f"{run}: {failure(fault).line}")
        else:
            self.tell(f"{run}: done")

    async def _once(self, crew: Crew, trial: Trial) -> State | None:
        if self.ctrl_c.control.drain_requested or crew.in_a_row >= PATIENCE:
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
            crew = Crew(
                self.store, stored, plan, limits_of(self.store, plan), Told(self.tell), self.ctrl_c, stop=stop_of(plan)
            )
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
    share = Share(store, address, tell, CtrlC(lambda: tell("stopping after the current steps; once more: at once")))
    async with opened_queue(address) as app:
        app.task(name=TASK, queue=QUEUE, retry=Again())(share.job)
        app.task(name=ALONE, queue=QUEUE, retry=Again())(share.alone)
        worker = Worker(app, queues=[QUEUE], concurrency=jobs, delete_jobs="successful", **TIMES)
        share.stop = worker.stop
        tending = asyncio.create_task(tend(app, store, until_done))
        keeping = asyncio.create_task(Deadlines(store, Handing(app).hand_over).keep())
        for task in (tending, keeping):
            task.add_done_callback(lambda _: share.stop())
        try:
            with share.stoppable():
                await worker.run()  # type: ignore[no-untyped-call]
        finally:
            all_done = tending.done()
            faults = [share.fault, *[await _end(task) for task in (tending, keeping)]]
            await close_models()
        for fault in filter(None, faults):
            raise fault
        if not (share.ctrl_c.times or all_done):
            raise Stopped(f"db = {store.where}: the queue was lost; what was saved before is whole")


async def _end(task: "asyncio.Task[None]") -> BaseException | None:
    """End a task that goes on beside others; gives what it failed with."""
    while not task.done():  # before Python 3.12 `asyncio.wait_for` may lose a cancellation
        task.cancel()
        await asyncio.wait([task], timeout=INSIST)
    return None if task.cancelled() else task.exception()


TIMES: dict[str, Any] = {
    "fetch_job_polling_interval": TEND,
    "install_signal_handlers": False,
    "update_heartbeat_interval": HEARTBEAT,
    "stalled_worker_timeout": FORGOTTEN,
}
