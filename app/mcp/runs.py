"""Deliberations under way in this server: each saved step by step, told as it goes, and read back when it is over."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from langgraph.types import Command
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from ...nodes.models.chat import default_spec
from ...state.incident import Call
from ...state.refused import Refused
from ...state.rules import Rules
from ...state.statement import Participant, Statement
from ..begin import entered
from ..display.events import Doing, Ended, Event, Said
from ..display.terminal import Terminal
from ..display.watcher import Watcher
from ..document import Envelope, TurnLine, document
from ..failure import Waits
from ..hooks import hooks_of
from ..kept import standing
from ..options import View
from ..people.waiting import seen, waiting
from ..request import Request
from ..run import CtrlC, resume_run, run_to_end
from ..saved import Saved, Store, checked, load, opened
from .arguments import check_addresses
from .people import Asks, sign_of

Tell = Callable[[int, int | None, str], Awaitable[None]]
"""Tells the client of a statement: its turn, how many there can be at most, and the statement."""


class Result(BaseModel):
    """What a tool answers with: how it ended, what was said, and what only its protocol brings."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)

    run: str = Field(description="The saved run: `moot show` prints it, with every call and figure.")
    protocol: str
    topic: str
    status: str = Field(description="completed, partial, failed, or unfinished.")
    headline: str = Field(description="How it ended, and whatever was degraded.")
    termination_reason: str | None
    rehearsal: bool = Field(description="Whether no model took part: then nothing here is an answer.")
    synthesis: str = Field(description="The closing text.")
    turns: list[TurnLine]
    models: dict[str, str] = Field(description="The model of each participant, and of who sums up.")
    total_calls: int
    total_tokens: int
    total_cost: float | None
    own: dict[str, Any] = Field(description="What this protocol's result holds beside that.")


class Status(BaseModel):
    """Where a run stands."""

    run: str
    status: str = Field(description="completed, partial, failed, or unfinished.")
    running: bool = Field(description="Whether somebody is running it now.")
    turns: int = Field(description="Statements made so far.")
    last: str = Field(description="The last of them.")
    headline: str
    remedy: str = Field(description="How to go on, where it stands still unfinished; else empty.")


class Telling(Watcher):
    """Tells a client of each statement once it is on record: with the step after it.

    A round that waits for a person is on none, and what the others said in it may be what that person is not to know.
    """

    def __init__(self, tell: Tell) -> None:
        super().__init__()
        self._tell = tell
        self._most: int | None = None
        self._waiting = list[Statement]()

    def seated(self, participants: Sequence[Participant], rules: Rules, made: Sequence[Call] = ()) -> None:
        self._most = hooks_of(rules.protocol).turns(rules, len(participants))

    async def tell(self, event: Event) -> None:
        if isinstance(event, Said):
            self._waiting.append(event.statement)
        elif isinstance(event, Doing | Ended):
            said, self._waiting = sorted(self._waiting, key=lambda one: one.turn), []
            for one in said:
                await self._tell(one.turn, self._most, f"{one.turn}. {one.speaker}: {one.content}")


async def untold(turn: int, most: int | None, said: str) -> None:
    """Tell nobody."""


@dataclass
class Runs:
    """The runs of one server. `db`: where they are saved; `model`: the model where none is named."""

    db: str
    model: str = ""
    _under_way: dict[str, "asyncio.Task[Saved]"] = field(default_factory=dict)
    _among: CtrlC = field(default_factory=lambda: CtrlC(lambda: None))

    async def held(self, asked: Request, tell: Tell, named: Callable[[str], None] = lambda _: None) -> Saved:
        """Run what is asked to its end; `named` is told its name before it begins.

        Raises `Refused` where it cannot begin, `Asks` where it needs a person, `Stopped` or `Interrupted` where it
        cannot go on for now.
        """
        check_addresses(asked)
        asked = asked.with_model(str(asked.rules.model) or self.model or await default_spec())
        async with opened(self.db) as store:
            name = (await entered(store, asked)).run
            named(name)
            terminal = self._terminal(store, Telling(tell), asked.input.get("participants", []), asked.rules)
            async with self._driving(store, name, terminal):
                return await run_to_end(store, name, asked.input, terminal, self._among)

    async def gone_on(self, asks: Asks, answer: Any, tell: Tell) -> Saved:
        """Go on with a run that waits for a person, with what was answered; as `held`.

        An answer to a question that waits no more changes nothing: somebody else answered it, or its time was over.
        """
        async with opened(self.db) as store:
            before = (await load(store, asks.run)).state
            terminal = self._terminal(store, Telling(tell), before["participants"], before["rules"])
            async with self._driving(store, asks.run, terminal):
                saved = await load(store, asks.run)
                if answer is None or asks.sign not in [sign_of(asks.run, one) for one in waiting(saved)]:
                    return await resume_run(store, saved, terminal, self._among)
                given: Command[Any] = Command(resume={asks.one["id"]: answer})
                return await run_to_end(store, asks.run, given, terminal, self._among)

    def _terminal(self, store: Store, telling: Telling, participants: Sequence[Participant], rules: Rules) -> Terminal:
        terminal = Terminal(View(db=self.db, json=True, quiet=True))
        terminal.watcher, terminal.place = telling, self.db and store.where
        telling.seated(participants, rules)
        return terminal

    @asynccontextmanager
    async def _driving(self, store: Store, name: str, terminal: Terminal) -> AsyncIterator[None]:
        """Within the block, hold the run's lock; what stops it says how to go on."""
        try:
            with terminal.resumable():
                async with store.lock(name):
                    yield
        except Waits as waits:
            raise Asks(waits, await load(store, name)) from None

    async def started(self, asked: Request) -> str:
        """Begin what is asked and leave it running; gives the run's name."""
        named: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        task = asyncio.create_task(self.held(asked, untold, named.set_result))
        either: set[asyncio.Future[Any]] = {task, named}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not named.done():
            await task
        self._under_way[named.result()] = task
        return named.result()

    async def status(self, name: str) -> Status:
        """Where a run stands. Raises `Refused` where there is none of this name, or it was refused."""
        saved, running = await self._read(name)
        still, who = not (running or saved.finished), [one["who"] for one in waiting(saved)]
        said = seen(saved, who[0]) if who else saved.state.get("history") or []
        outcome = saved.state.get("outcome")
        command = ("join", name, "--as", who[0]) if who else ("resume", name)
        return Status(
            run=name,
            status=outcome.status if outcome else "unfinished",
            running=running,
            turns=len(said),
            last=f"{said[-1].speaker}: {said[-1].content}" if said else "",
            headline=outcome.headline if outcome else "",
            remedy=f"go on with: {Terminal(View(db=self.db)).command(*command)}" if still else "",
        )

    async def result(self, name: str) -> Result:
        """The result of a run that has ended. Raises `Refused` for one that goes on, or stands still."""
        saved, running = await self._read(name)
        if not saved.finished:
            remedy = "it goes on; ask status again later" if running else "it stands still; status says how to go on"
            raise Refused("run", name, remedy)
        return result(saved)

    async def close(self) -> None:
        """Let every run end its current step: what was answered is saved, and each can be resumed."""
        self._among.drain()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)

    async def _read(self, name: str) -> tuple[Saved, bool]:
        task = self._under_way.get(checked(name))
        if task and task.done():
            await self._under_way.pop(name)  # what stopped it is said once
        async with opened(self.db, reading=True) as store:
            saved = await load(store, name)
            return saved, not saved.finished and (name in self._under_way or await store.is_held(name))


def result(saved: Saved) -> Result:
    """What a tool answers with, of a run that has ended."""
    found = document(saved)
    envelope = {to_camel(key) for key in Envelope.model_fields}
    own = {key: value for key, value in found.items() if key not in envelope}
    return Result.model_validate(found | {"models": standing(saved)["models"], "own": own})
