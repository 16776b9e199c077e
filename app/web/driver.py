"""The runs that this process drives, each under its lock, until they end, wait for somebody or are stopped."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from langchain_core.callbacks import AsyncCallbackHandler

from ...nodes.models.chat import close_models
from ...state.refused import Refused
from ...state.rules import revived
from ..begin import entered
from ..display.announcement import is_rehearsal
from ..display.events import AskedAgain, Doing, Event, Words
from ..display.live import INSTANT, STATEMENT
from ..display.terminal import Terminal
from ..display.watcher import Watcher
from ..display.wording import doing
from ..failure import Interrupted, Waits, defect, failure
from ..options import View
from ..people.deadlines import Deadlines
from ..people.waiting import waiting
from ..request import Request
from ..run import FAULTS, CtrlC, run_shown, run_to_end, take_first_step, take_step
from ..saved import Store, checked, load
from ..saved.lock_holder import Held
from ..session.go_on import go_on
from .hub import Hub

MOST = 8
"""Runs that are driven at once."""

SOON = 10.0
"""Seconds that the first step of a run may take, after which it counts as begun."""

TOLD = (*FAULTS, Interrupted, OSError)
"""What ends a run before its end, and is told in one line."""


class Telling(Watcher):
    """Tells a run's watchers of words in progress and of who is thinking; everything else is read from the record."""

    follows = True

    def __init__(self, hub: Hub, run: str, language: str) -> None:
        super().__init__()
        self.hub, self.run, self.language = hub, run, language
        self.begun = asyncio.Event()

    async def tell(self, event: Event) -> None:
        """Something happened."""
        match event:
            case Doing(step, who, turn) if step not in INSTANT:
                told = {"text": doing(step, who, self.language), "who": who, "turn": turn}
                self.hub.tell(self.run, "doing", told)
            case Words(who, purpose, text) if purpose == STATEMENT:
                self.hub.tell(self.run, "words", {"who": who, "text": text})
            case AskedAgain(who):
                self.hub.tell(self.run, "words", {"who": who, "text": None})
        if not (isinstance(event, Doing) and event.step in INSTANT):
            self.begun.set()


class Screenless(Terminal):
    """A run's display, which only its watchers see."""

    def __init__(self, telling: Telling) -> None:
        super().__init__(View(quiet=True))
        self.watcher = telling

    def note(self, text: str, style: str = "") -> None:
        """Show nothing: the page says what a run costs."""


class Breath(AsyncCallbackHandler):
    """Lets a rehearsal take so many seconds for each answer, so that one can follow it."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    async def on_chat_model_start(self, *_: Any, **about: Any) -> None:
        """Wait before an answer."""
        await asyncio.sleep(self.seconds)


@dataclass
class Driven:
    """A run that is driven."""

    task: "asyncio.Task[None]"
    stop: CtrlC
    telling: Telling


Going = Callable[[Terminal, CtrlC], Awaitable[None]]
"""Has a run go on, shown on a terminal, until it is interrupted."""


class Queue(Protocol):
    """Runs that are left to workers."""

    async def hand_over(self, run: str) -> None:
        """Leave a run to them."""

    async def is_waiting(self, run: str) -> bool:
        """Whether it waits for one of them, or one has it in hand."""


class Driver:
    """Drives runs, or leaves them to workers, where there is a `queue`.

    `faults`: by run, why it stopped here before its end. `breath`: seconds a rehearsed answer takes.
    """

    def __init__(self, store: Store, breath: float, queue: Queue | None = None) -> None:
        self.store, self.breath, self.queue = store, breath, queue
        self.hub, self.deadlines = Hub(store), Deadlines(store, self.go_on)
        self.faults: dict[str, str] = {}
        self._driven: dict[str, Driven] = {}

    def drives(self, name: str) -> bool:
        """Whether this process drives a run now."""
        return name in self._driven

    async def begin(self, asked: Request) -> str:
        """Begin a run, and give its name once its first step is taken. Raises `Refused` if it could not begin."""
        self._refuse_many()
        name = (await entered(self.store, asked)).run
        if self.queue:
            async with self.store.lock(name):
                await take_first_step(self.store, name, asked.input)
            await self.queue.hand_over(name)
        else:
            await self._started(name, asked.input)
        return name

    async def resume(self, name: str) -> None:
        """Go on with a run. Raises `Stopped` saying who holds it if another process does."""
        self._refuse_many()
        if self.queue:
            await self.queue.hand_over(checked(name))
        elif not self.drives(checked(name)):
            await self._started(name, None)

    async def waits_for_worker(self, name: str) -> bool:
        """Whether a run was left to workers, and they have not let go of it."""
        return self.queue is not None and await self.queue.is_waiting(name)

    async def go_on(self, name: str) -> None:
        """Go on with a run for which somebody's time is over; if it cannot, its page says why."""
        if self.queue:
            await self.queue.hand_over(name)
        elif len(self._driven) < MOST and not self.drives(name):
            with suppress(Refused):  # it was deleted meanwhile
                await self._start(name, None)

    def stop(self, name: str) -> None:
        """Let a run end its current step. Raises `Refused` if this process does not drive it."""
        if name not in self._driven:
            raise Refused("run", name, "this room does not drive it; stop it where it runs")
        self._driven[name].stop.drain()

    async def close(self) -> None:
        """Let all runs end their current step, and wait for them."""
        driven = list(self._driven.values())
        for one in driven:
            one.stop.drain()
        await asyncio.gather(*(one.task for one in driven), return_exceptions=True)
        await close_models()

    async def answered(self, name: str, given: Any, terminal: Terminal, stop: CtrlC) -> None:
        """Have a run whose lock is held go on with what was given to it; where there are workers, by one step."""
        if self.queue:
            await take_step(self.store, name, given)
        else:
            await run_shown(self.store, name, given, terminal, stop)

    async def hand_over(self, name: str) -> None:
        """Leave what is left of a run to workers, where there are any, and nobody is needed first."""
        if self.queue and (saved := await load(self.store, name)).next and not waiting(saved):
            await self.queue.hand_over(name)

    async def drive(self, name: str, going: Going) -> "asyncio.Task[None]":
        """Drive a run by `going`, as soon as it is not driven here already: shown on a terminal, until interrupted."""
        return (await self._driving(name, going)).task

    async def _driving(self, name: str, going: Going) -> Driven:
        saved = await load(self.store, checked(name))
        rules, stop = revived(saved.run.rules), CtrlC(lambda: None)
        telling = Telling(self.hub, name, rules.language)
        terminal = Screenless(telling)
        if self.breath and is_rehearsal(rules, saved.state.get("participants", [])):
            terminal.callbacks = [Breath(self.breath)]
        while self.drives(name):
            await asyncio.wait({self._driven[name].task})
        self._refuse_many()
        self.faults.pop(name, None)
        driven = self._driven[name] = Driven(asyncio.ensure_future(going(terminal, stop)), stop, telling)
        driven.task.add_done_callback(lambda _: self._done(name))
        return driven

    def _refuse_many(self) -> None:
        if len(self._driven) >= MOST:
            raise Refused("runs", len(self._driven), "as many are driven here as may be; stop one, or wait for its end")

    async def _started(self, name: str, input: Any) -> None:
        task = await self._start(name, input)
        if task.done() and not isinstance(task.exception(), Waits):
            task.result()

    async def _start(self, name: str, input: Any) -> "asyncio.Task[None]":
        """Drive a run; gives the task once its first step is taken."""

        async def going(terminal: Terminal, stop: CtrlC) -> None:
            if input is None:
                return await go_on(self.store, "", name, terminal, stop)
            async with self.store.lock(name):
                await run_to_end(self.store, name, input, terminal, stop)

        driven = await self._driving(name, going)
        begun = asyncio.create_task(driven.telling.begun.wait())
        await asyncio.wait({driven.task, begun}, timeout=SOON, return_when=asyncio.FIRST_COMPLETED)
        begun.cancel()
        return driven.task

    def _done(self, name: str) -> None:
        task = self._driven.pop(name).task
        self.deadlines.changed.set()
        if task.cancelled() or (error := task.exception()) is None or isinstance(error, Waits | Held):
            return
        if isinstance(error, TOLD):
            self.faults[name] = failure(error).line
        else:
            logging.getLogger(__name__).error("run %s", name, exc_info=error)
            self.faults[name] = defect(error)
