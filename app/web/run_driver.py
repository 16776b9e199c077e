"""Execution of runs by this process, each under its lock.

The process executes a run until it ends, waits for people, or is stopped.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Protocol

from langchain_core.callbacks import AsyncCallbackHandler

from ...models import close_models, use_client_policy
from ...state import InputError, parse_settings
from ..display import (
    INSTANT_STEPS,
    STATEMENT_PURPOSE,
    RetryStarted,
    RunEvent,
    StepEnded,
    StepStarted,
    Terminal,
    Watcher,
    WordsStreamed,
    describe_step,
    is_rehearsal,
)
from ..people import DeadlineEnforcer, list_open_questions
from ..run import (
    STOP_ERRORS,
    InterruptHandler,
    RunInterruptedError,
    RunRequest,
    SilentTerminal,
    WaitingForPeopleError,
    create_run,
    delete_if_refused,
    describe_defect,
    explain_failure,
    run_and_show,
    run_request,
    take_step,
)
from ..saved import DatabaseLostError, Run, RunLockedError, Store, check_run_name, load_saved_run, make_database_error
from ..session.participation import resume_saved_run
from .run_subscribers import SubscriberHub

MAX_DRIVEN_RUNS = 8


class HubReporter(Watcher):
    """Reporter of a run's current step and unfinished statement to the subscribers.

    All other events come from the saved run.
    """

    shows_words = True

    def __init__(self, hub: SubscriberHub, run: str, language: str) -> None:
        super().__init__()
        self.hub, self.run, self.language = hub, run, language
        self.start_event = asyncio.Event()

    async def show_event(self, event: RunEvent) -> None:
        match event:
            case StepStarted(step, name, turn) if step not in INSTANT_STEPS:
                self.hub.publish_event(
                    self.run,
                    "doing",
                    {"text": describe_step(step, name, self.language), "who": name, "turn": turn, "step": step},
                )
            case WordsStreamed(name, purpose, text) if purpose == STATEMENT_PURPOSE:
                self.hub.publish_event(self.run, "words", {"who": name, "text": text})
            case RetryStarted(name):
                self.hub.publish_event(self.run, "words", {"who": name, "text": None})
        if not (isinstance(event, StepStarted | StepEnded) and event.step in INSTANT_STEPS):
            self.start_event.set()


class RehearsalDelay(AsyncCallbackHandler):
    """LangChain callback that delays each rehearsed answer, so that people can follow the run."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    async def on_chat_model_start(self, *_: Any, **about: Any) -> None:
        await asyncio.sleep(self.seconds)


RunAction = Callable[[Terminal, InterruptHandler], Awaitable[None]]
"""Function that continues a run, shown on a terminal, until it is interrupted."""


class WorkerQueue(Protocol):
    """Queue of runs that workers execute."""

    async def hand_over_run(self, run: str) -> None:
        """Let a worker execute a run."""

    async def is_waiting(self, run: str) -> bool:
        """Return whether a run is queued or a worker runs it."""


class RunDriver:
    """Driver that executes runs in this process, or lets workers execute them if it has a `queue`.

    `faults`: reason for each run that stopped early in this process. `rehearsal_delay`: seconds before a rehearsed
    answer. `client_models`: models for clients, under the operator's policy; `None` if only the operator drives runs
    here. `awaited_runs`: runs of waiting clients, which no later room takes up. `losses`: errors of a dropped
    connection to the database, after which the room must be opened again.
    """

    def __init__(
        self,
        store: Store,
        rehearsal_delay: float,
        queue: WorkerQueue | None = None,
        client_models: Sequence[str] | None = None,
    ) -> None:
        self.store, self.rehearsal_delay, self.queue, self.client_models = store, rehearsal_delay, queue, client_models
        self.hub, self.deadlines = SubscriberHub(store), DeadlineEnforcer(store, self.resume_overdue_run)
        self.faults: dict[str, str] = {}
        self.losses: list[BaseException] = []
        self.awaited_runs = set[str]()
        self._driven_runs: dict[str, tuple[asyncio.Task[None], InterruptHandler]] = {}

    def is_driving(self, name: str) -> bool:
        """Return whether this process is executing the run."""
        return name in self._driven_runs

    async def start_run(
        self,
        request: RunRequest,
        offered_models: Sequence[str] | None = None,
        on_name: Callable[[str], None] = lambda _: None,
        **marks: str,
    ) -> str:
        """Start a run and return its name after its first step.

        `offered_models`: models of the request that the operator offers a client; `None` for a request from a page.
        `on_name`: function that receives the name before the first step. `marks`: marks of the run in its row. Raises
        `InputError` if the run cannot start.
        """
        self._check_capacity()
        is_client = self.client_models is not None or offered_models is not None
        models = [*(self.client_models or ()), *(offered_models or ())] if is_client else None
        run = await create_run(self.store, request, models, **marks)
        on_name(run.run)
        if self.queue:
            async with self.store.lock(run.run), delete_if_refused(self.store, run.run):
                with use_client_policy(models):
                    await take_step(self.store, run.run, request.build_input(run.run))
            await self.queue.hand_over_run(run.run)
            return run.run

        async def start_graph(terminal: Terminal, interrupts: InterruptHandler) -> None:
            await run_request(self.store, request, run, terminal, interrupts)

        await self._start_or_raise(run.run, start_graph)
        return run.run

    async def resume_run(self, name: str) -> None:
        """Resume a run.

        Raises `RunStoppedError`, which names the holder, if another process holds the lock.
        """
        self._check_capacity()
        if self.queue:
            await self._mark_client_run(check_run_name(name))
            await self.queue.hand_over_run(name)
        elif not self.is_driving(check_run_name(name)):
            await self._start_or_raise(name, partial(resume_saved_run, self.store, "", name))

    async def is_queued(self, name: str) -> bool:
        """Return whether a run that workers execute is still queued or running."""
        return self.queue is not None and await self.queue.is_waiting(name)

    async def resume_overdue_run(self, name: str) -> None:
        """Resume a run in which a person's deadline has passed.

        If the run cannot resume, its page shows the reason.
        """
        if self.queue:
            await self.queue.hand_over_run(name)
        elif len(self._driven_runs) < MAX_DRIVEN_RUNS and not self.is_driving(name):
            with suppress(InputError):  # it was deleted meanwhile
                await self.drive_run(name, partial(resume_saved_run, self.store, "", name), waits_for_step=True)

    def stop_run(self, name: str, reason: str = "interrupted") -> None:
        """Stop a run after its current step or, for the reason `CLIENT_LEFT`, after its current calls.

        Raises `InputError` if another process executes it.
        """
        if name not in self._driven_runs:
            raise InputError("run", name, "another process executes this run; stop it there")
        self._driven_runs[name][1].drain_runs(reason)

    async def close(self) -> None:
        """Stop all runs of this process after their current step, and wait for them.

        If the database is lost, stop them at once, because nothing more can be saved.
        """
        runs = list(self._driven_runs.values())
        for task, interrupts in runs:
            if self.losses:
                task.cancel()
            interrupts.drain_runs()
        await asyncio.gather(*(task for task, _ in runs), return_exceptions=True)
        await close_models()

    async def continue_run(self, name: str, graph_input: Any, terminal: Terminal, interrupts: InterruptHandler) -> None:
        """Continue a run, whose lock is held, with an input. If there are workers, take only one step.

        `graph_input`: an input, a resume command, or `None`.
        """
        if self.queue:
            await take_step(self.store, name, graph_input)
        else:
            await run_and_show(self.store, name, graph_input, terminal, interrupts)

    async def hand_over_run(self, name: str) -> None:
        """Let the workers execute the rest of a run.

        Do nothing without workers, or if the run waits for people.
        """
        if (
            self.queue
            and (saved_run := await load_saved_run(self.store, name)).next
            and not list_open_questions(saved_run)
        ):
            await self.queue.hand_over_run(name)

    async def drive_run(self, name: str, action: RunAction, waits_for_step: bool = False) -> "asyncio.Task[None]":
        """Execute `action` on a run in a task, and return the task.

        If this process already executes the run, first wait for its end. `waits_for_step`: whether to return only after
        the first step, or after some time if the step is long.
        """
        run = await self._mark_client_run(check_run_name(name))
        saved_run = await load_saved_run(self.store, name)
        settings, interrupts = parse_settings(saved_run.run.settings), InterruptHandler(lambda: None)
        reporter = HubReporter(self.hub, name, settings.language)
        terminal = SilentTerminal(watcher=reporter)
        if self.rehearsal_delay and is_rehearsal(settings, saved_run.state.get("participants", [])):
            terminal.callbacks = [RehearsalDelay(self.rehearsal_delay)]
        while self.is_driving(name):
            await asyncio.wait({self._driven_runs[name][0]})
        self._check_capacity()
        self.faults.pop(name, None)

        async def drive_marked_run() -> None:
            await self._mark_run(name, is_driven=name not in self.awaited_runs)
            keeps_mark = False
            try:
                await action(terminal, interrupts)
            except BaseException as error:
                # resumed when the database is back
                keeps_mark = isinstance(error, asyncio.CancelledError) or self._is_connection_error(error)
                raise
            finally:
                if not keeps_mark:
                    with suppress(InputError):  # it could not begin, and was deleted
                        await self._mark_run(name, is_driven=False)

        with use_client_policy(run.client_models):
            task = asyncio.ensure_future(drive_marked_run())
        self._driven_runs[name] = task, interrupts
        task.add_done_callback(lambda _: self._remove_run(name))
        if waits_for_step:
            first_step = asyncio.create_task(reporter.start_event.wait())
            await asyncio.wait({task, first_step}, timeout=10.0, return_when=asyncio.FIRST_COMPLETED)
            first_step.cancel()
        return task

    def _is_connection_error(self, error: BaseException) -> bool:
        return isinstance(error, (DatabaseLostError, *self.store.connection_errors))

    async def _mark_run(self, name: str, is_driven: bool) -> None:
        """Record whether this room executes a run. If this room dies, the next one resumes its runs."""
        await self.store.runs.save_run(
            (await self.store.runs.get_run(name)).model_copy(update={"is_driven": is_driven})
        )

    async def _mark_client_run(self, name: str) -> Run:
        """Record that a client started the run, if clients start runs here. Return its row.

        An earlier record stays.
        """
        run = await self.store.runs.get_run(name)
        if self.client_models is not None and run.client_models is None:
            run = run.model_copy(update={"client_models": list(self.client_models)})
            await self.store.runs.save_run(run)
        return run

    def _check_capacity(self) -> None:
        if len(self._driven_runs) >= MAX_DRIVEN_RUNS:
            raise InputError(
                "runs",
                len(self._driven_runs),
                "this room already executes as many runs as it can; stop one, or wait until one ends",
            )

    async def _start_or_raise(self, name: str, action: RunAction) -> None:
        task = await self.drive_run(name, action, waits_for_step=True)
        if task.done() and not isinstance(task.exception(), WaitingForPeopleError):
            task.result()

    def _remove_run(self, name: str) -> None:
        task, _ = self._driven_runs.pop(name)
        self.awaited_runs.discard(name)
        self.deadlines.change_event.set()
        error = None if task.cancelled() else task.exception()
        if error is None or isinstance(error, WaitingForPeopleError | RunLockedError):
            return
        if self._is_connection_error(error):
            self.losses.append(error)
            self.faults[name] = str(make_database_error(self.store.address, error))
        elif isinstance(error, (*STOP_ERRORS, RunInterruptedError, OSError)):
            self.faults[name] = explain_failure(error).line
        else:
            logging.getLogger(__name__).error("run %s", name, exc_info=error)
            self.faults[name] = describe_defect(error)
