"""A saved session under its lock: loaded, brought up to date, written and run."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_delay, wait_fixed

from ...models.failures import RunStoppedError
from ...nodes.session.events import apply_time, with_update
from ...state.discussion import DiscussionSettings
from ...state.errors import InputError
from ...state.session.channels import SessionUpdate
from ...state.settings import get_settings_class
from ...storage.clock import get_time
from ..saved import (
    SavedRun,
    Store,
    is_incomplete,
    load_saved_run,
    make_thread_config,
    open_database,
    restore_before_failure,
    with_pause,
)
from .snapshot import SessionSnapshot

LOCK_TIMEOUT, LOCK_PAUSE = 10.0, 0.25
"""Seconds to wait for a lock that another client holds, and seconds between two attempts."""

WAITING_STEPS = {"receive_message", "await_answers"}
"""Steps at which a session waits for a participant outside."""

GraphDriver = Callable[[Store, str, Any], Awaitable[None]]
"""Function that runs a session's graph on an input or `None`, until it waits or ends.

The input may be a resume command.
"""

SnapshotCheck = Callable[[SessionSnapshot], object]
"""Function that raises the refusal of a request if the saved session already shows it."""


@dataclass
class LockedSession:
    """One session whose lock is held."""

    store: Store
    saved: SavedRun
    drive: GraphDriver

    @property
    def snapshot(self) -> SessionSnapshot:
        """The current snapshot of the session."""
        return SessionSnapshot(self.saved.run.run, self.saved.state)

    @property
    def is_waiting(self) -> bool:
        """True if the session asks a participant outside, or has ended."""
        return set(self.saved.next) <= WAITING_STEPS and bool(self.saved.interrupts) == bool(self.saved.next)

    async def record_expirations(self) -> None:
        """Record expired deadlines. Asks no model."""
        if update := apply_time(self.snapshot.stage, get_time()):
            await self.write_update(update)
        if self.snapshot.status != "open":
            await self.run_models()

    async def write_update(self, update: SessionUpdate) -> None:
        """Write an update in the name of the waiting step, after finishing a step of a process that died."""
        step = "await_answers" if self.snapshot.status == "inviting" else "receive_message"
        name, graph = self.saved.run.run, self.store.get_graph(self.saved.run.protocol)
        if self.saved.has_pending_node:
            await graph.ainvoke(None, make_thread_config(name), interrupt_after="*", durability="sync")
        await graph.aupdate_state(make_thread_config(name), update, as_node=step)
        self.saved = await load_saved_run(self.store, name)

    async def run_models(self) -> None:
        """Let models speak in their turn, and end the session if it is over."""
        if not self.is_waiting:
            await self.run_graph(None)

    async def run_graph(self, graph_input: Any) -> None:
        """Run the graph until it waits or ends."""
        name = self.saved.run.run
        await self.store.runs.save_run(with_pause(self.saved))
        await self.drive(self.store, name, graph_input)
        self.saved = await load_saved_run(self.store, name)
        await self.store.runs.save_run(self.saved.build_row())


@asynccontextmanager
async def lock_session(run: str, db: str, drive: GraphDriver, check: SnapshotCheck) -> AsyncIterator[LockedSession]:
    """Open the database and hold the session's lock within the block.

    While another client holds the lock, `check` may refuse the request at once. Raises
    `RunStoppedError` naming the holder if the wait takes too long.
    """
    async with open_database(db, create=False) as store, AsyncExitStack() as lock:
        attempts = AsyncRetrying(
            retry=retry_if_exception_type(RunStoppedError),
            stop=stop_after_delay(LOCK_TIMEOUT),
            wait=wait_fixed(LOCK_PAUSE),
            reraise=True,
        )
        async for attempt in attempts:
            with attempt:
                try:
                    await lock.enter_async_context(store.lock(run))
                except RunStoppedError:
                    if has_invited(saved := await load_session(store, run)):
                        check(make_current_snapshot(saved))
                    raise
        session = LockedSession(store, await load_session(store, run), drive)
        if not has_invited(session.saved):
            await session.run_graph(None)
        yield session


async def load_session(store: Store, run: str) -> SavedRun:
    """Load a saved session. Raises `InputError` for any other run."""
    saved = await load_saved_run(store, run)
    if not is_session(saved):
        raise InputError("run", run, f"it is a {saved.run.protocol}, and no session; go on with `moot resume`")
    if not (saved.begun or saved.next):
        raise InputError("run", run, "nothing of it was saved; open it anew")
    return saved


async def load_resumable_session(store: Store, run: str) -> SavedRun:
    """Load a saved session to resume; after an outage restore it to its state before the missed turns."""
    saved = await load_session(store, run)
    if not is_incomplete(saved):
        return saved
    async with store.lock(run):
        if is_incomplete(saved := await load_session(store, run)):
            saved = await restore_before_failure(store, saved)
            await store.runs.save_run(saved.build_row())
    return saved


def is_session(saved: SavedRun) -> bool:
    """Return whether the participants of a saved run send statements from outside."""
    return issubclass(get_settings_class(saved.run.protocol), DiscussionSettings)


def has_invited(saved: SavedRun) -> bool:
    """Return whether the invitations were sent; if not, the process died while opening the session."""
    return "status" in saved.state


def make_current_snapshot(saved: SavedRun) -> SessionSnapshot:
    """Make a snapshot that includes expired deadlines, without recording them."""
    snapshot = SessionSnapshot(saved.run.run, saved.state)
    return SessionSnapshot(snapshot.run, with_update(snapshot.stage, apply_time(snapshot.stage, get_time())))
