"""Access to a saved session under its lock."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_delay, wait_fixed

from ...models import RunStoppedError
from ...nodes.session.updates import apply_session_update, apply_time
from ...state import DiscussionSettings, InputError, get_settings_class
from ...state.session.channels import SessionUpdate
from ...storage import get_time
from ..saved import (
    SavedRun,
    Store,
    is_incomplete,
    load_saved_run,
    make_thread_config,
    open_database,
    restore_before_failure,
    save_fault,
    with_pause,
)
from .snapshot import SessionSnapshot

LOCK_TIMEOUT, LOCK_PAUSE = 10.0, 0.25
"""Seconds to wait for another client's lock, and seconds between two attempts to lock."""

GraphDriver = Callable[[Store, str, Any], Awaitable[None]]
"""Function that runs a session's graph on an input or `None`, until it waits or ends.

The input may be a resume command.
"""

SnapshotCheck = Callable[[SessionSnapshot], object]
"""Function that raises an error if a snapshot is enough to reject a request."""


@dataclass
class LockedSession:
    """Saved session whose lock this process holds."""

    store: Store
    saved_run: SavedRun
    driver: GraphDriver

    @property
    def snapshot(self) -> SessionSnapshot:
        """Return a snapshot of the session as it is now."""
        return SessionSnapshot(self.saved_run.run.run, self.saved_run.state)

    async def record_expirations(self) -> None:
        """Record expired deadlines, without calling a model."""
        if update := apply_time(self.snapshot.stage, get_time()):
            await self.write_update(update)
        if self.snapshot.status != "open":
            await self.run_models()

    async def write_update(self, update: SessionUpdate) -> None:
        """Save an update as the result of the step that waits for people.

        If another process died within a step, first finish that step.
        """
        step = "await_answers" if self.snapshot.status == "inviting" else "receive_message"
        name, graph = self.saved_run.run.run, self.store.get_graph(self.saved_run.run.protocol)
        if self.saved_run.has_pending_node:
            await graph.ainvoke(None, make_thread_config(name), interrupt_after="*", durability="sync")
        await graph.aupdate_state(make_thread_config(name), update, as_node=step)
        self.saved_run = await load_saved_run(self.store, name)

    async def run_models(self) -> None:
        """Let models take their turns, and end the session if a limit is reached."""
        is_waiting = bool(self.saved_run.interrupts) == bool(self.saved_run.next)
        if not (is_waiting and set(self.saved_run.next) <= {"receive_message", "await_answers"}):
            await self.run_graph(None)

    async def run_graph(self, graph_input: Any) -> None:
        """Run the graph with an input until it waits or ends."""
        name = self.saved_run.run.run
        await self.store.runs.save_run(with_pause(self.saved_run))
        try:
            await self.driver(self.store, name, graph_input)
        except RunStoppedError as error:
            await save_fault(self.store, name, str(error), error)
            raise
        await save_fault(self.store, name, "")
        self.saved_run = await load_saved_run(self.store, name)
        await self.store.runs.save_run(self.saved_run.build_row())


@asynccontextmanager
async def lock_session(run: str, db: str, driver: GraphDriver, check: SnapshotCheck) -> AsyncIterator[LockedSession]:
    """Open the database and hold the session's lock within the `async with` block.

    `check`: function that may reject the request at once while another client holds the lock. Raises `RunStoppedError`,
    which names the holder, if the wait takes too long.
    """
    async with open_database(db, create=False) as store, AsyncExitStack() as lock_stack:
        async for attempt in AsyncRetrying(
            retry=retry_if_exception_type(RunStoppedError),
            stop=stop_after_delay(LOCK_TIMEOUT),
            wait=wait_fixed(LOCK_PAUSE),
            reraise=True,
        ):
            with attempt:
                try:
                    await lock_stack.enter_async_context(store.lock(run))
                except RunStoppedError:
                    if has_sent_invitations(saved_run := await load_session(store, run)):
                        check(make_current_snapshot(saved_run))
                    raise
        session = LockedSession(store, await load_session(store, run), driver)
        if not has_sent_invitations(session.saved_run):
            await session.run_graph(None)
        yield session


async def load_session(store: Store, run: str) -> SavedRun:
    """Load a saved session.

    Raises `InputError` for any other run, and for a session without a saved step.
    """
    if not is_session(saved_run := await load_saved_run(store, run)):
        raise InputError(
            "run", run, f"this run is a {saved_run.run.protocol}, not a session; continue it with `moot resume`"
        )
    if not (saved_run.has_begun or saved_run.next):
        raise InputError("run", run, "the session has no saved step; open a new session")
    return saved_run


async def load_resumable_session(store: Store, run: str) -> SavedRun:
    """Return a saved session to resume. After an outage, it is restored to the state before missed turns."""
    if not is_incomplete(saved_run := await load_session(store, run)):
        return saved_run
    async with store.lock(run):
        if is_incomplete(saved_run := await load_session(store, run)):
            saved_run = await restore_before_failure(store, saved_run)
            await store.runs.save_run(saved_run.build_row())
    return saved_run


def is_session(saved_run: SavedRun) -> bool:
    """Return whether a saved run is a session, which accepts statements from outside."""
    return issubclass(get_settings_class(saved_run.run.protocol), DiscussionSettings)


def has_sent_invitations(saved_run: SavedRun) -> bool:
    """Return whether the invitations were sent. If not, the process died during the opening."""
    return "status" in saved_run.state


def make_current_snapshot(saved_run: SavedRun) -> SessionSnapshot:
    """Return a snapshot that includes expired deadlines. The saved session stays unchanged."""
    snapshot = SessionSnapshot(saved_run.run.run, saved_run.state)
    return SessionSnapshot(snapshot.run, apply_session_update(snapshot.stage, apply_time(snapshot.stage, get_time())))
