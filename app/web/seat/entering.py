"""What is done at a seat gets to the run by the way that `moot join` takes, until it is on record."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from ....nodes.models.failures import Stopped
from ....state.refused import Refused
from ....state.rules import revived
from ....state.session import SendRefused
from ...display.terminal import Terminal
from ...people import NotAsked, aanswer, waiting
from ...run import CtrlC
from ...saved import Saved, Store, load
from ...saved.lock_holder import Held
from ...session.asynchronous import AsyncSession
from ...session.locked import Drive
from ..room import Room
from .view import is_out

PATIENCE = 10.0
"""Seconds to wait for a run that another process runs."""
LOOK, LONGEST = 0.1, 60.0
"""Seconds between two looks whether what was done is on record, and of all of them."""

NOT_TAKEN = (NotAsked, Refused, Held, SendRefused)
"""What somebody at a seat can be told for an answer: nothing has changed."""


async def enter(room: Room, run: str, id: str, who: str, value: Any) -> bool:
    """Enter an answer; whether it was taken yet. The run goes on meanwhile. Raises one of `NOT_TAKEN`, or `Stopped`."""

    async def act(drive: Drive) -> None:
        await aanswer(run, id, who, value, drive=drive, patience=PATIENCE)

    return await _done(room, run, act, lambda saved, sent: sent and all(one["id"] != id for one in waiting(saved)))


async def come_back(room: Room, run: str, who: str) -> None:
    """Bring a participant of a session back into the rotation. Raises as `enter` does."""

    async def act(drive: Drive) -> None:
        rules = revived((await room.store.runs.get(run)).rules)
        session = AsyncSession(run, "", rules)  # type: ignore[arg-type]
        session.drive = drive
        await session.restore(who)

    await _done(room, run, act, lambda saved, _: not is_out(saved, who))


async def _done(
    room: Room, run: str, act: Callable[[Drive], Awaitable[None]], is_done: Callable[[Saved, bool], bool]
) -> bool:
    """Act, and give whether it is on record, as soon as it is, it cannot be, or it takes too long.

    `is_done` is told how the run stands, and whether an answer was sent to it.
    """
    refused, sent = list[Exception](), asyncio.Event()

    async def going(terminal: Terminal, stop: CtrlC) -> None:
        async def drive(store: Store, run: str, given: Any) -> None:
            if given is not None:
                sent.set()
            await room.driver.answered(run, given, terminal, stop)

        try:
            await act(drive)
            await room.driver.hand_over(run)
        except NOT_TAKEN as no:
            refused.append(no)

    task = await room.driver.drive(run, going)
    for _ in range(round(LONGEST / LOOK)):
        await asyncio.wait({task}, timeout=LOOK)
        if refused:
            raise refused[0]
        if is_done(await load(room.store, run), sent.is_set()):
            return True
        if task.done():
            break
    if task.done() and not task.cancelled() and isinstance(error := task.exception(), Stopped):
        raise error
    return False
