"""An answer gets to the question it belongs to, and the run goes on until the next one is needed."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from langgraph.types import Command
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_delay, wait_fixed

from ...nodes.step import wait_for
from ...state.refused import Refused
from ...state.rules import revived
from ..saved import Saved, Store, checked, ended_alone, load, opened, paused, reopened, thread
from ..saved.lock_holder import Held
from ..session.asynchronous import AsyncSession
from ..session.locked import Drive, is_session
from .waiting import Waiting, waiting

PAUSE = 0.25
"""Seconds between two attempts to hold a run that another process is running."""
FOREVER = 31_536_000.0


class NotAsked(Refused):
    """An answer to a question that waits no more, or that was put to somebody else. Nothing has changed."""


async def aanswer(
    run: str, id: str, who: str, value: Any, *, db: str = "", drive: Drive | None = None, patience: float = FOREVER
) -> list[Waiting]:
    """Answer the question `id` that waits for `who`, and go on until the next one is needed; gives what waits then.

    `patience`: seconds to wait while another process runs it. Raises `NotAsked` where it is not the question that waits
    for `who`, `Held` when the patience is over, and what a run can stop with: the answer is saved by then.
    """
    async with opened(db, create=False) as store:
        if is_session(await load(store, checked(run))):
            return await _in_session(
                store, run, id, who, value, AsyncSession(run, db, await _context(store, run)), drive
            )
        async with held(store, run, patience):
            saved = await _on(store, await load(store, run), None, drive)
            _check(waiting(saved), run, id, who)
            return waiting(await _on(store, saved, Command(resume={id: value}), drive))


async def ago_on(run: str, *, db: str = "", drive: Drive | None = None, patience: float = FOREVER) -> list[Waiting]:
    """Pass over those whose time is over, do what a process that died left undone; gives what waits then."""
    async with opened(db, create=False) as store:
        if is_session(await load(store, checked(run))):
            session = AsyncSession(run, db, await _context(store, run))
            session.drive = drive or session.drive
            await session.tick()
            return waiting(await load(store, run))
        async with held(store, run, patience):
            return waiting(await _on(store, await load(store, run), None, drive))


def answer(run: str, id: str, who: str, value: Any, *, db: str = "") -> list[Waiting]:
    """`aanswer` for code that is not async."""
    return wait_for(aanswer(run, id, who, value, db=db))


def go_on(run: str, *, db: str = "") -> list[Waiting]:
    """`ago_on` for code that is not async."""
    return wait_for(ago_on(run, db=db))


@asynccontextmanager
async def held(store: Store, run: str, patience: float) -> AsyncIterator[None]:
    """Hold the run's lock, once nobody else does. Raises `Held` where that takes longer than `patience` seconds."""
    patiently = AsyncRetrying(
        retry=retry_if_exception_type(Held), stop=stop_after_delay(patience), wait=wait_fixed(PAUSE), reraise=True
    )
    async with AsyncExitStack() as lock:
        async for attempt in patiently:
            with attempt:
                await lock.enter_async_context(store.lock(run))
        yield


async def _on(store: Store, saved: Saved, given: Any, drive: Drive | None) -> Saved:
    """The run after it went on, with an answer or without one; one that has ended stays as it is."""
    if ended_alone(saved):
        saved = await reopened(store, saved)
    if not saved.next:
        return saved
    await store.runs.save(paused(saved))
    await (drive or driven)(store, saved.run.run, given)
    saved = await load(store, saved.run.run)
    await store.runs.save(saved.row())
    return saved


async def driven(store: Store, run: str, given: Any) -> None:
    """Run a saved deliberation until it waits or ends, watched by nobody."""
    row = await store.runs.get(run)
    rules = revived(row.rules)
    await store.graph(row.protocol).ainvoke(given, thread(run), context=rules, durability="sync")


def _check(asked: list[Waiting], run: str, id: str, who: str) -> Waiting:
    """The question of this id. Raises `NotAsked` unless it waits for `who`."""
    found = next((one for one in asked if one["id"] == id and one["who"] == who), None)
    if found:
        return found
    mine = [one["purpose"] for one in asked if one["who"] == who]
    others = ", ".join(dict.fromkeys(one["who"] for one in asked if one["who"] != who))
    if mine:
        remedy = f"this question waits for {who} no more; now the {mine[0]} is asked for: read it, and answer that"
    else:
        remedy = f"nothing waits for {who} in {run} now" + (f"; it waits for {others}" if others else "")
    raise NotAsked("answer", id, remedy)


async def _context(store: Store, run: str) -> Any:
    return revived((await store.runs.get(run)).rules)


async def _in_session(
    store: Store, run: str, id: str, who: str, value: Any, session: AsyncSession, drive: Drive | None
) -> list[Waiting]:
    """The same in a session, whose texts are sent."""
    session.drive = drive or session.drive
    await session.tick()
    one = _check(waiting(await load(store, run)), run, id, who)
    if one["purpose"] == "invitation":
        told = value if isinstance(value, dict) else {}
        await session.answer(who, bool(told.get("accept")), str(told.get("reason", "")))
    elif isinstance(value, str):
        await session.send(who, value, turn=one["turn"])
    else:
        raise Refused("answer", value, "a session takes texts")
    return waiting(await load(store, run))
