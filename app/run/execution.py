"""Execution of a run until it ends or stops. Each step is saved before the next step starts."""

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl
from langgraph.types import Command
from pydantic import ValidationError

from ...models import RunStoppedError, check_same_servers, close_models, distrust_imports
from ...prompts import TemplateError
from ...state import OWNER, InputError, Settings, parse_settings
from ..display import (
    STREAM_MODES,
    RunPrepared,
    StatementAdded,
    Terminal,
    Watcher,
    format_json,
    read_events,
    show_run_resume,
    show_run_start,
)
from ..people import ask_owner, can_ask_owner, list_open_questions, make_waiting_error
from ..report import build_document
from ..saved import (
    DatabaseRefusedError,
    RunLockedError,
    SavedRun,
    Store,
    delete_uncalled_run,
    is_incomplete,
    load_saved_run,
    make_thread_config,
    open_database,
    restore_before_failure,
    save_fault,
    with_pause,
)
from .command_options import ViewOptions
from .failure import RunInterruptedError, explain_failure

START_ERRORS = (InputError, ValidationError, TemplateError)

STOP_ERRORS = (RunStoppedError, *START_ERRORS)
"""Errors that stop a run early and are reported in one line."""

CANCEL_INTERVAL = 0.2
"""Seconds until a cancellation is repeated, because `asyncio.wait_for` of a library may lose one (Python 3.11)."""


class SilentTerminal(Terminal):
    """Terminal without output.

    `database`: database option in the commands that errors suggest. `watcher`: receiver of events.
    """

    def __init__(self, database: str = "", watcher: Watcher | None = None) -> None:
        super().__init__(ViewOptions(db=database, quiet=True))
        self.database, self.watcher = database, watcher or self.watcher

    def show_note(self, text: str, style: str = "") -> None:
        """Show nothing."""


class InterruptHandler:
    """Handler of Ctrl-C. The first lets all runs finish their step, the second cancels the current task.

    `on_first_interrupt`: function that is called at the first Ctrl-C.
    """

    def __init__(self, on_first_interrupt: Callable[[], None]) -> None:
        self.count, self._on_first_interrupt, self.control = 0, on_first_interrupt, RunControl()

    def drain_runs(self, reason: str = "interrupted") -> None:
        """Let all runs finish their current step, and report the interrupt.

        `reason`: reason of the stop. For `CLIENT_LEFT`, runs finish only their current calls.
        """
        self.control.request_drain(reason)
        self._on_first_interrupt()

    @contextmanager
    def handle_interrupts(self) -> Iterator[None]:
        """Handle Ctrl-C within the `with` block. Outside the main thread, do nothing."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        is_within_block = True

        def cancel_block() -> None:
            # Again and again, since a library may swallow a cancellation; never what closes the run after the block.
            if is_within_block and task is not None:
                task.cancel()
                loop.call_later(CANCEL_INTERVAL, cancel_block)

        def handle_signal(*_: object) -> None:
            self.count += 1
            if self.count == 1:
                self.drain_runs()
            elif self.count == 2:
                loop.call_soon_threadsafe(cancel_block)

        previous_handler = signal.signal(signal.SIGINT, handle_signal)
        try:
            yield
        finally:
            is_within_block = False
            signal.signal(signal.SIGINT, previous_handler)


async def end_task(task: "asyncio.Task[Any]") -> BaseException | None:
    """Cancel a task and wait until it has ended. Return the exception with which it failed, or `None`."""
    while not task.done():
        task.cancel()
        await asyncio.wait([task], timeout=CANCEL_INTERVAL)
    return None if task.cancelled() else task.exception()


async def run_to_end(
    store: Store,
    name: str,
    input: Any,
    terminal: Terminal,
    interrupts: InterruptHandler | None = None,
    settings: Settings | None = None,
) -> SavedRun:
    """Run the graph of a run to its end, and return the saved run.

    `input`: `None` to resume. `interrupts`, `settings`: as in `run_and_show`. Raises `WaitingForPeopleError` if the run
    waits for a person, `RunInterruptedError` after Ctrl-C, and `RunStoppedError` for any other stop. A new run that
    cannot start is deleted and raises `InputError`.
    """
    try:
        is_new = input is not None and not isinstance(input, Command)
        if isinstance(input, Command):
            _check_servers(await load_saved_run(store, name))
        async with delete_if_refused(store, name) if is_new else nullcontext():
            await run_and_show(store, name, input, terminal, interrupts, settings)
        saved_run = await save_figures(store, name)
        if open_questions := list_open_questions(saved_run):
            raise make_waiting_error(open_questions)
    except (*STOP_ERRORS, RunInterruptedError):
        await _print_unfinished_run(store, name, terminal)
        raise
    terminal.run = ""
    return saved_run


@contextmanager
def print_if_stopped(terminal: Terminal) -> Iterator[None]:
    """Print the run's document if it stops within the `with` block, and if the command prints documents.

    Print nothing if the database fails or another process executes the run.
    """
    try:
        yield
    except (RunStoppedError, RunInterruptedError) as error:
        if terminal.run and not isinstance(error, DatabaseRefusedError | RunLockedError):
            asyncio.run(_reload_and_print(terminal))
        raise


async def _reload_and_print(terminal: Terminal) -> None:
    with suppress(RunStoppedError):
        async with open_database(terminal.view.db, create=False) as store:
            await _print_unfinished_run(store, terminal.run, terminal)


async def _print_unfinished_run(store: Store, name: str, terminal: Terminal) -> None:
    """Print the document of an unfinished run, if it has a saved step and the command prints documents."""
    if terminal.view.json:
        with suppress(RunStoppedError, InputError, OSError):  # the database is lost, or the run was refused
            if (saved_run := await load_saved_run(store, name)).has_begun:
                print(format_json(build_document(saved_run)))


async def resume_run(
    store: Store, saved_run: SavedRun, terminal: Terminal, interrupts: InterruptHandler | None = None
) -> SavedRun:
    """Resume a saved run, unless it has ended. The caller holds the lock.

    Raises `InputError` if the run stopped before its first step was saved.
    """
    if is_incomplete(saved_run):
        saved_run = await restore_before_failure(store, saved_run)
    if saved_run.has_ended:
        return saved_run
    if not saved_run.next:
        raise InputError("run", saved_run.run.run, "the run stopped before its first step was saved; start a new run")
    _check_servers(saved_run)
    await store.runs.save_run(with_pause(saved_run))
    show_run_resume(terminal, saved_run)
    return await run_to_end(store, saved_run.run.run, None, terminal, interrupts)


def _check_servers(saved_run: SavedRun) -> None:
    if saved_run.has_begun:
        check_same_servers(saved_run.state["settings"], saved_run.state["participants"])


@asynccontextmanager
async def delete_if_refused(store: Store, name: str) -> AsyncIterator[None]:
    """Delete the run if it cannot start within the `async with` block, unless it has made a call."""
    try:
        yield
    except START_ERRORS:
        await delete_uncalled_run(store, name)
        raise


async def take_step(store: Store, name: str, input: Any) -> None:
    """Take and save one step of a run. The caller holds the lock.

    `input`: an input, a resume command, or `None` to continue. An answer in it is saved even if the step then waits for
    another person.
    """
    run = await store.runs.get_run(name)
    invoke_options: Any = {"context": parse_settings(run.settings), "interrupt_after": "*", "durability": "sync"}
    with distrust_imports():
        await store.get_graph(run.protocol).ainvoke(input, make_thread_config(name), **invoke_options)


async def run_and_show(
    store: Store,
    name: str,
    input: Any,
    terminal: Terminal,
    interrupts: InterruptHandler | None = None,
    settings: Settings | None = None,
) -> None:
    """Run a graph on `input` and show its progress on `terminal`.

    `input`: an input, a resume command, or `None` to continue. Approvals are requested at the terminal. `interrupts`:
    handler of Ctrl-C that several runs share; their models stay open. `None`: this run handles Ctrl-C itself and closes
    its models at the end. `settings`: settings with model objects, or `None` for the saved ones. The reason for a stop
    is saved with the run.
    """
    await _run_until_stop(store, name, input, terminal, interrupts, settings)
    while can_ask_owner(terminal):
        questions = list_open_questions(await load_saved_run(store, name))
        approvals = [question for question in questions if question["who"] == OWNER]
        if not approvals or not (answers := ask_owner(approvals[0], terminal)):
            return
        await _run_until_stop(store, name, Command(resume=answers), terminal, interrupts, settings)


async def _run_until_stop(
    store: Store,
    name: str,
    input: Any,
    terminal: Terminal,
    interrupts: InterruptHandler | None,
    settings: Settings | None,
) -> None:
    terminal.run = name
    handler = interrupts or InterruptHandler(terminal.show_interrupt)
    try:
        run = await save_fault(store, name, "")
        config: RunnableConfig = {**make_thread_config(name), "callbacks": list(terminal.callbacks)}
        stream_options: dict[str, Any] = {
            "version": "v2",
            "stream_mode": [*STREAM_MODES, *(["messages"] if terminal.watcher.shows_words else [])],
            "durability": "sync",
            "control": handler.control,
        }
        import_policy = nullcontext() if settings else distrust_imports()
        settings = settings or parse_settings(run.settings)
        with import_policy, nullcontext() if interrupts else handler.handle_interrupts():
            async for chunk in store.get_graph(run.protocol).astream(
                input, config, context=settings, subgraphs=True, **stream_options
            ):
                for event in read_events(chunk, settings):
                    if isinstance(event, RunPrepared):
                        show_run_start(terminal, event)
                    if isinstance(event, StatementAdded):
                        terminal.shown_turns.add(event.statement.turn)
                    await terminal.watcher.show_event(event)
    except GraphDrained:
        await save_figures(store, name)
        raise RunInterruptedError("stopped after the current step") from None
    except asyncio.CancelledError:
        if not handler.count:
            raise
        raise RunInterruptedError("stopped at once") from None
    except STOP_ERRORS as error:
        with suppress(RunStoppedError):  # the failure may be the loss of the database itself
            await save_fault(store, name, explain_failure(error).line, error)
            await save_figures(store, name)
        raise
    finally:
        terminal.pacer.close_input()
        terminal.watcher.end_display()
        if interrupts is None:
            await close_models()


async def save_figures(store: Store, name: str) -> SavedRun:
    """Save the turns, tokens and cost of a run in its row, and return the run.

    A list of runs then needs no checkpoint.
    """
    saved_run = await load_saved_run(store, name)
    await store.runs.save_run(saved_run.build_row())
    return saved_run
