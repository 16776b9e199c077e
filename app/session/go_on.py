"""Go on with a saved run, a session or not: what has fallen due is entered, and models speak until one is needed."""

from typing import Any

from ...state.rules import revived
from ..display.terminal import Terminal
from ..people.waiting import waiting, waits_for
from ..run import CtrlC, resume_run, run_shown
from ..saved import Store, load
from .asynchronous import AsyncSession
from .locked import going_on, is_session


async def go_on(store: Store, db: str, run: str, terminal: Terminal, among: CtrlC) -> None:
    """Go on, under the run's lock; `among`: what interrupts it.

    Raises `Held` where another process runs it, and whatever it stops with: `Waits` where it needs somebody.
    """
    saved = await load(store, run)
    if not is_session(saved):
        async with store.lock(run):
            await resume_run(store, await load(store, run), terminal, among)
        return
    saved = await going_on(store, run)
    session = AsyncSession(run, db, revived(saved.run.rules))  # type: ignore[arg-type]

    async def drive(store: Store, run: str, given: Any) -> None:
        await run_shown(store, run, given, terminal, among)

    session.drive = drive
    await session.tick()
    if left := waiting(await load(store, run)):
        raise waits_for(left)
