"""Answers submitted from a seat, with the same functions as `moot join`."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any

from ....models import RunStoppedError
from ....state import InputError, parse_settings
from ....state.session import SendError
from ...display.terminal import Terminal
from ...people import NotAskedError, aanswer_question, list_open_questions
from ...run.execution import InterruptHandler
from ...saved import RunLockedError, SavedRun, Store, load_saved_run
from ...session.api import AsyncSession
from ...session.locking import GraphDriver
from ..room import Room
from .view import is_hidden

MAX_RECORD_WAIT = 60.0
"""Maximum seconds until an action is recorded."""

REFUSALS = (NotAskedError, InputError, RunLockedError, SendError)
"""Exceptions that reject an answer and leave the run unchanged. The seat's page shows them."""


async def submit_answer(room: Room, run: str, id: str, name: str, value: Any) -> bool:
    """Submit an answer. Return whether it is recorded. The run continues in the background.

    Raises one of `REFUSALS`, or `RunStoppedError`.
    """

    async def send_answer(drive: GraphDriver) -> None:
        await aanswer_question(run, id, name, value, drive=drive, patience=10.0)

    return await _perform_action(
        room,
        run,
        send_answer,
        lambda saved_run, is_sent: is_sent and all(question["id"] != id for question in list_open_questions(saved_run)),
    )


async def rejoin_session(room: Room, run: str, name: str) -> None:
    """Return a participant of a session to the rotation.

    Raises the same exceptions as `submit_answer`.
    """

    async def restore_seat(drive: GraphDriver) -> None:
        await AsyncSession(
            run, "", parse_settings((await room.store.runs.get_run(run)).settings), drive=drive
        ).restore_participant(name)

    await _perform_action(room, run, restore_seat, lambda saved_run, _: not is_hidden(saved_run, name))


async def _perform_action(
    room: Room, run: str, act: Callable[[GraphDriver], Awaitable[None]], is_done: Callable[[SavedRun, bool], bool]
) -> bool:
    """Perform an action. Return whether it is recorded within `MAX_RECORD_WAIT` seconds.

    `is_done` receives the saved run, and whether an answer was sent to it.
    """
    refusals, send_event = list[Exception](), asyncio.Event()

    async def run_action(terminal: Terminal, interrupts: InterruptHandler) -> None:
        async def drive(store: Store, run: str, graph_input: Any) -> None:
            if graph_input is not None:
                send_event.set()
            await room.driver.continue_run(run, graph_input, terminal, interrupts)

        try:
            await act(drive)
            await room.driver.hand_over(run)
        except REFUSALS as refusal:
            refusals.append(refusal)

    async with room.store.changes() as wait_for_change:
        task = await room.driver.drive_run(run, run_action)
        deadline = monotonic() + MAX_RECORD_WAIT
        while not refusals and monotonic() < deadline:
            change = asyncio.ensure_future(wait_for_change(MAX_RECORD_WAIT))
            await asyncio.wait({task, change}, timeout=MAX_RECORD_WAIT, return_when=asyncio.FIRST_COMPLETED)
            change.cancel()
            has_ended, may_be_done = task.done(), send_event.is_set() or task.done()
            if may_be_done and not refusals and is_done(await load_saved_run(room.store, run), send_event.is_set()):
                return True
            if has_ended:
                break
    if refusals:  # it may have come while the run was loaded
        raise refusals[0]
    if task.done() and not task.cancelled() and isinstance(error := task.exception(), RunStoppedError):
        raise error
    return False
