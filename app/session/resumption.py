"""Resumption of a saved run. It records overdue deadlines and lets models speak in their turn."""

from typing import Any

from ...state.settings import parse_settings
from ..display.terminal import Terminal
from ..people.open_questions import list_open_questions, make_waiting_error
from ..run.drive_run import InterruptHandler, run_and_show
from ..run.resume import resume_run
from ..saved import Store, load_saved_run
from .async_api import AsyncSession
from .locking import is_session, load_resumable_session


async def resume_saved_run(store: Store, db: str, run: str, terminal: Terminal, interrupts: InterruptHandler) -> None:
    """Resume a saved run or session under its lock. `interrupts` can stop it.

    Raises `RunLockedError` if another process runs it, and `WaitingForPeople` if it needs a person. Raises any other
    exception that stops a run.
    """
    saved_run = await load_saved_run(store, run)
    if not is_session(saved_run):
        async with store.lock(run):
            await resume_run(store, await load_saved_run(store, run), terminal, interrupts)
        return
    saved_run = await load_resumable_session(store, run)
    session = AsyncSession(run, db, parse_settings(saved_run.run.settings))  # type: ignore[arg-type]

    async def drive(store: Store, run: str, graph_input: Any) -> None:
        await run_and_show(store, run, graph_input, terminal, interrupts)

    session.drive = drive
    await session.advance()
    if questions := list_open_questions(await load_saved_run(store, run)):
        raise make_waiting_error(questions)
