"""Participation of a person in a session at the terminal, and the resuming of runs and sessions."""

import asyncio
from collections.abc import Sequence
from typing import Any

from ...state import InputError, Participant, SendError, list_names, parse_settings
from ..display import Terminal, show_ending, show_run_resume, translate_display_phrase
from ..people.open_questions import list_open_questions, make_waiting_error
from ..run import (
    InterruptHandler,
    RunRequest,
    ViewOptions,
    announce_cost,
    print_if_stopped,
    resume_run,
    run_and_show,
    with_default_model,
)
from ..saved import SavedRun, Store, check_run_name, is_incomplete, load_saved_run, open_database
from .api import AsyncSession
from .locking import GraphDriver, is_session, load_resumable_session
from .opening import start_session
from .person_name import DEFAULT_NAME
from .terminal_session import TerminalSession


def make_terminal_driver(terminal: Terminal, interrupts: InterruptHandler | None = None) -> GraphDriver:
    """Make the function that runs a session's graph, shows it on a terminal, and stops on an interrupt."""

    async def drive(store: Any, run: str, graph_input: Any) -> None:
        terminal.database = terminal.view.db and store.address
        await run_and_show(store, run, graph_input, terminal, interrupts)

    return drive


def hold_session(request: RunRequest, person: str, view: ViewOptions) -> None:
    """Hold a new session at the terminal, and show its ending.

    `person`: name of the person at the terminal, or empty.
    """
    seat_name, terminal = choose_seat(person, request.input["participants"]), Terminal(view)
    with terminal.add_resume_hint(), print_if_stopped(terminal):
        session = asyncio.run(_open_session(request, terminal))
        TerminalSession(session, seat_name, terminal).run_until_end()
    show_ending(terminal, asyncio.run(load_saved_session(session)))


async def _open_session(request: RunRequest, terminal: Terminal) -> AsyncSession:
    request = await with_default_model(request)
    await announce_cost(request, terminal)
    return await start_session(request, terminal.view.db, driver=make_terminal_driver(terminal))


def join_session(
    run: str, person: str, view: ViewOptions, decline: str | None = None, waits_for_others: bool = False
) -> None:
    """Take part in a saved session at the terminal, in the seat that `choose_seat` returns.

    `decline`: reason for declining the invitation; `None` accepts it. `waits_for_others`: whether to stay while others
    have the turn. Raises `InputError` if there is no open invitation to decline.
    """
    terminal = Terminal(view)
    with terminal.add_resume_hint(), print_if_stopped(terminal):
        saved_run = asyncio.run(_load_session(run, terminal))
        session = AsyncSession(
            run, view.db, parse_settings(saved_run.run.settings), driver=make_terminal_driver(terminal)
        )
        show_run_resume(terminal, saved_run)
        name = choose_seat(person, asyncio.run(session.load_snapshot()).stage["participants"])
        if decline is None:
            TerminalSession(session, name, terminal, waits_for_others=waits_for_others).run_until_end()
        else:
            try:
                snapshot = asyncio.run(session.answer_invitation(name, False, decline))
            except SendError as error:
                raise InputError("--decline", decline, str(error)) from None
            if snapshot.outcome is None:
                return terminal.screen.show_line(
                    translate_display_phrase(terminal.language, "table.declined", who=name)
                )
    show_ending(terminal, asyncio.run(load_saved_session(session)), ended_before=saved_run.has_ended)


def is_open_session(run: str, db: str) -> bool:
    """Return whether a saved run is a session that has not ended.

    A session counts as open even if its process died during the opening.
    """

    async def find_open_session() -> bool:
        async with open_database(db, create=False) as store:
            saved_run = await load_saved_run(store, check_run_name(run))
            return is_session(saved_run) and (bool(saved_run.next) or is_incomplete(saved_run))

    return asyncio.run(find_open_session())


def choose_seat(person: str, participants: Sequence[Participant]) -> str:
    """Return the name of the seat that the person at this terminal takes.

    `person`: name, `DEFAULT_NAME` for the only person, or empty for a reader. Raises `InputError` for an unknown name,
    for the name of a model, and for `DEFAULT_NAME` if several people take part.
    """
    seat_names = [participant.name for participant in participants if participant.kind != "model"]
    if person in seat_names or not person:
        return person
    person_names = [participant.name for participant in participants if participant.kind == "person"]
    if person == DEFAULT_NAME and len(person_names) < 2:
        return person_names[0] if person_names else ""
    if person == DEFAULT_NAME:
        raise InputError("--as", None, f"several people take part; give your name, one of: {', '.join(person_names)}")
    if not seat_names:
        raise InputError("--as", person, "has no seat in this run: only models take part; run `moot show` to read it")
    reason = "a model has this seat" if person in list_names(list(participants)) else "has no seat in this run"
    raise InputError("--as", person, f"{reason}; choose {', '.join(seat_names)}")


async def _load_session(run: str, terminal: Terminal) -> SavedRun:
    async with open_database(terminal.view.db, create=False) as store:
        terminal.run, terminal.database = run, terminal.view.db and store.address
        return await load_resumable_session(store, run)


async def load_saved_session(session: AsyncSession) -> SavedRun:
    """Return the saved run of a session."""
    async with open_database(session.db, create=False) as store:
        return await load_saved_run(store, session.run)


async def resume_saved_run(store: Store, db: str, run: str, terminal: Terminal, interrupts: InterruptHandler) -> None:
    """Resume a saved run or session under its lock.

    `db`: database in the commands that errors suggest. `interrupts`: handler that can stop the run. Raises
    `RunLockedError` if another process executes it, and `WaitingForPeopleError` if it needs a person. Other
    exceptions that stop a run pass through.
    """
    if not is_session(saved_run := await load_saved_run(store, run)):
        async with store.lock(run):
            await resume_run(store, await load_saved_run(store, run), terminal, interrupts)
        return
    saved_run = await load_resumable_session(store, run)
    settings, driver = parse_settings(saved_run.run.settings), make_terminal_driver(terminal, interrupts)
    await AsyncSession(run, db, settings, driver=driver).advance()
    if questions := list_open_questions(await load_saved_run(store, run)):
        raise make_waiting_error(questions)
