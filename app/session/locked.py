"""A saved session whose lock is held: read, brought up to date, written, and run."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_delay, wait_fixed

from ...nodes.clock import now
from ...nodes.models.failures import Stopped
from ...nodes.session.events import time_passes, with_news
from ...state.discussion import DiscussionRules
from ...state.refused import Refused
from ...state.rules import rules_class
from ...state.session.channels import SessionUpdate
from ..saved import Saved, Store, ended_alone, load, opened, paused, reopened, thread
from .snapshot import Snapshot

PATIENCE, PAUSE = 10.0, 0.25
"""Seconds to wait for a lock another client holds, and between two attempts."""

WAITING = {"hear", "await_answers"}
"""Steps at which a session waits for somebody outside."""

Drive = Callable[[Store, str, Any], Awaitable[None]]
"""Runs a session's graph on an input, a resume command, or none, until it waits or ends."""

Check = Callable[[Snapshot], object]
"""Raises the refusal of what a client wants, if it is already clear from the session as it is saved."""


@dataclass
class LockedSession:
    """One session, whose lock is held."""

    store: Store
    saved: Saved
    drive: Drive

    @property
    def snapshot(self) -> Snapshot:
        """The session as it stands."""
        return Snapshot(self.saved.run.run, self.saved.state)

    @property
    def waits(self) -> bool:
        """Whether somebody outside is asked, or it has ended."""
        return set(self.saved.next) <= WAITING and bool(self.saved.interrupts) == bool(self.saved.next)

    async def let_time_pass(self) -> None:
        """Record what has expired by now; no model is asked."""
        if news := time_passes(self.snapshot.stage, now()):
            await self.enter(news)
        if self.snapshot.status != "open":
            await self.go_on()

    async def enter(self, news: SessionUpdate) -> None:
        """Write an update as the waiting step would; a step that a process took before it died is entered first."""
        step = "await_answers" if self.snapshot.status == "inviting" else "hear"
        name, graph = self.saved.run.run, self.store.graph(self.saved.run.protocol)
        if self.saved.taken:
            await graph.ainvoke(None, thread(name), interrupt_after="*", durability="sync")
        await graph.aupdate_state(thread(name), news, as_node=step)
        self.saved = await load(self.store, name)

    async def go_on(self) -> None:
        """Let models whose turn it is speak, and the session end if it is over."""
        if not self.waits:
            await self.run(None)

    async def run(self, given: Any) -> None:
        """Run the graph until it waits or ends."""
        name = self.saved.run.run
        await self.store.runs.save(paused(self.saved))
        await self.drive(self.store, name, given)
        self.saved = await load(self.store, name)
        await self.store.runs.save(self.saved.row())


@asynccontextmanager
async def lock_session(run: str, db: str, drive: Drive, check: Check) -> AsyncIterator[LockedSession]:
    """Open the database and hold the session's lock.

    While another client holds it, `check` may tell at once that there is nothing to wait for. Raises `Stopped` saying
    who holds it if that takes too long.
    """
    async with opened(db, create=False) as store, AsyncExitStack() as held:
        patiently = AsyncRetrying(
            retry=retry_if_exception_type(Stopped),
            stop=stop_after_delay(PATIENCE),
            wait=wait_fixed(PAUSE),
            reraise=True,
        )
        async for attempt in patiently:
            with attempt:
                try:
                    await held.enter_async_context(store.lock(run))
                except Stopped:
                    if has_invited(saved := await load_session(store, run)):
                        check(as_of_now(saved))
                    raise
        session = LockedSession(store, await load_session(store, run), drive)
        if not has_invited(session.saved):
            await session.run(None)
        yield session


async def load_session(store: Store, run: str) -> Saved:
    """A saved session; raises `Refused` for anything else."""
    saved = await load(store, run)
    if not is_session(saved):
        raise Refused("run", run, f"it is a {saved.run.protocol}, and no session; go on with `moot resume`")
    if not (saved.begun or saved.next):
        raise Refused("run", run, "nothing of it was saved; open it anew")
    return saved


async def going_on(store: Store, run: str) -> Saved:
    """A saved session that is taken up; one that most turns of which were missed, as it stood before them."""
    saved = await load_session(store, run)
    if not ended_alone(saved):
        return saved
    async with store.lock(run):
        if ended_alone(saved := await load_session(store, run)):
            saved = await reopened(store, saved)
            await store.runs.save(saved.row())
    return saved


def is_session(saved: Saved) -> bool:
    """Whether a saved run is of a protocol whose participants send statements from outside."""
    return issubclass(rules_class(saved.run.protocol), DiscussionRules)


def has_invited(saved: Saved) -> bool:
    """Whether anybody has been invited; if not, its process died while opening it, and that comes first."""
    return "status" in saved.state


def as_of_now(saved: Saved) -> Snapshot:
    """The session with what has expired by now, without recording it."""
    snapshot = Snapshot(saved.run.run, saved.state)
    return Snapshot(snapshot.run, with_news(snapshot.stage, time_passes(snapshot.stage, now())))
