"""Run a deliberation to its end, or until it is stopped; every step is saved before the next one begins."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl
from pydantic import ValidationError

from ..nodes.models.chat import close_models
from ..nodes.models.failures import Stopped
from ..prompts import TemplateFault
from ..state.refused import Refused
from ..state.rules import revived
from .display.announcement import announce, announce_resumed
from .display.events import MODES, Said, Seated, news
from .display.terminal import Terminal
from .failure import Interrupted, failure
from .people.waiting import waiting, waits_for
from .saved import Run, Saved, Store, ended_alone, forget_unbegun, load, paused, reopened, thread

FAULTS = (Stopped, Refused, ValidationError, TemplateFault)
"""What ends a run before its end, and is told in one line."""

INSIST = 0.2
"""Seconds after which a cancellation is repeated, since before Python 3.12 `asyncio.wait_for` may lose one."""


class CtrlC:
    """Counts interrupts. The first one lets all runs end their current step; the second cancels the running task.

    `first` is called at the first one.
    """

    def __init__(self, first: Callable[[], None]) -> None:
        self.times, self._first, self.control = 0, first, RunControl()

    def drain(self) -> None:
        """Let all runs end their current step."""
        self.control.request_drain("interrupted")
        self._first()

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Within the block, handle interrupts; only in the main thread, elsewhere nothing is changed."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def pressed(*_: object) -> None:
            self.times += 1
            if self.times == 1:
                self.drain()
            elif self.times == 2 and task is not None:
                loop.call_soon_threadsafe(_cancel, task)

        before = signal.signal(signal.SIGINT, pressed)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def _cancel(task: "asyncio.Task[object]") -> None:
    """Cancel a task until it is done."""
    if not task.done():
        task.cancel()
        task.get_loop().call_later(INSIST, _cancel, task)


async def run_to_end(store: Store, name: str, input: Any, terminal: Terminal, among: CtrlC | None = None) -> Saved:
    """Run or, with no input, go on; gives the run as it is saved at its end. `among`: as for `run_shown`.

    Raises `Stopped`, as `Waits` where it needs a person first, or `Interrupted`; or `Refused` if it could not begin,
    and then nothing of it is kept.
    """
    try:
        await run_shown(store, name, input, terminal, among)
    except (Refused, ValidationError, TemplateFault):
        await forget_unbegun(store, name)
        raise
    saved = await load(store, name)
    await store.runs.save(saved.row())
    if left := waiting(saved):
        raise waits_for(left)
    terminal.run = ""
    return saved


async def take_first_step(store: Store, name: str, input: Any) -> None:
    """Begin a run whose lock is held, and leave the rest to others: its first step is saved, and what it was given.

    Raises `Refused` if it cannot begin, and then nothing of it is kept.
    """
    try:
        await take_step(store, name, input)
    except (Refused, ValidationError, TemplateFault):
        await forget_unbegun(store, name)
        raise


async def take_step(store: Store, name: str, given: Any) -> None:
    """Take one step of a run whose lock is held, on an input, a resume command, or none, and leave the rest to others.

    Where somebody else is needed for that step as well, what was given is saved, and the step waits for them.
    """
    row = await store.runs.get(name)
    how: Any = {"context": revived(row.rules), "interrupt_after": "*", "durability": "sync"}
    await store.graph(row.protocol).ainvoke(given, thread(name), **how)


async def resume_run(store: Store, saved: Saved, terminal: Terminal, among: CtrlC | None = None) -> Saved:
    """Go on with a run whose lock is held, unless it has ended meanwhile."""
    if ended_alone(saved):
        saved = await reopened(store, saved)
    if saved.finished:
        return saved
    if not saved.next:
        raise Refused("run", saved.run.run, "it was stopped before its first step was saved; begin it anew")
    await store.runs.save(paused(saved))
    announce_resumed(terminal, saved)
    return await run_to_end(store, saved.run.run, None, terminal, among)


async def run_shown(store: Store, name: str, input: Any, terminal: Terminal, among: CtrlC | None = None) -> None:
    """Run a graph on an input, a resume command, or none, and show it as it goes on `terminal`.

    `among`: what interrupts all the runs it is one of, whose models stay open; none: it is alone. What stops it is
    written into its row, where whoever did not see it finds it.
    """
    terminal.run = name
    try:
        await _stream(store, name, input, terminal, among)
    except FAULTS as fault:
        with suppress(Stopped):  # the database itself may be what was lost
            await write_fault(store, name, failure(fault).line)
        raise
    finally:
        terminal.pace.end()
        terminal.watcher.stop()
        if among is None:
            await close_models()


async def write_fault(store: Store, name: str, fault: str) -> Run:
    """Enter why a run stopped, empty: it goes on; gives its row."""
    run = await store.runs.get(name)
    if run.fault != fault:
        run = run.model_copy(update={"fault": fault})
        await store.runs.save(run)
    return run


async def _stream(store: Store, name: str, input: Any, terminal: Terminal, among: CtrlC | None) -> None:
    run = await write_fault(store, name, "")
    graph, rules = store.graph(run.protocol), revived(run.rules)
    ctrl_c = among or CtrlC(terminal.draining)
    config: RunnableConfig = {**thread(name), "callbacks": list(terminal.callbacks)}
    told = [*MODES, *(["messages"] if terminal.watcher.follows else [])]
    modes: dict[str, Any] = {"version": "v2", "stream_mode": told, "durability": "sync", "control": ctrl_c.control}
    try:
        with nullcontext() if among else ctrl_c.caught():
            async for part in graph.astream(input, config, context=rules, subgraphs=True, **modes):
                for event in news(part, rules):
                    if isinstance(event, Seated):
                        announce(terminal, event)
                    if isinstance(event, Said):
                        terminal.told.add(event.statement.turn)
                    await terminal.watcher.tell(event)
    except GraphDrained:
        raise Interrupted("stopped after the current step") from None
    except asyncio.CancelledError:
        if not ctrl_c.times:
            raise
        raise Interrupted("stopped at once") from None
