"""Participation in a saved session at the terminal, or the refusal of its invitation."""

import asyncio
from collections.abc import Sequence
from typing import Any

from ...state.errors import InputError
from ...state.session import SendError
from ...state.settings import parse_settings
from ...state.statement import Participant, list_names
from ..display.announcement import show_run_resume
from ..display.ending import show_ending
from ..display.terminal import Terminal
from ..display.wording import translate_display_phrase
from ..run.command_options import ViewOptions
from ..run.drive_run import run_and_show
from ..saved import SavedRun, check_run_name, is_incomplete, load_saved_run, open_database
from .async_api import AsyncSession
from .conversation import Conversation
from .locking import GraphDriver, is_session, load_resumable_session
from .person_name import DEFAULT_NAME


def make_terminal_drive(terminal: Terminal) -> GraphDriver:
    """Make a driver that shows the session on a terminal and can be interrupted."""

    async def drive(store: Any, run: str, graph_input: Any) -> None:
        terminal.database = terminal.view.db and store.address
        await run_and_show(store, run, graph_input, terminal)

    return drive


def join_session(run: str, person: str, view: ViewOptions, decline: str | None = None, wait: bool = False) -> None:
    """Take part in a saved session at the terminal, in the seat that `choose_seat` returns.

    `decline`: reason for declining the invitation; `None` accepts it. `wait`: stay while others are
    expected.
    """
    terminal = Terminal(view)
    with terminal.add_resume_hint():
        saved = asyncio.run(_load_session(run, terminal))
        session = AsyncSession(run, view.db, parse_settings(saved.run.settings))  # type: ignore[arg-type]
        session.drive = make_terminal_drive(terminal)
        show_run_resume(terminal, saved)
        seats = asyncio.run(session.load_snapshot()).stage["participants"]
        name = choose_seat(person, seats)
        if decline is None:
            Conversation(session, name, terminal, wait=wait).run_until_end()
        elif not decline_invitation(session, name, decline):
            return terminal.screen.show_line(translate_display_phrase(terminal.language, "table.declined", who=name))
    show_ending(terminal, asyncio.run(load_saved_session(session)), before=saved.finished)


def decline_invitation(session: AsyncSession, name: str, reason: str) -> bool:
    """Decline the invitation and return whether the session ended with that."""
    try:
        return asyncio.run(session.answer_invitation(name, False, reason)).outcome is not None
    except SendError as refusal:
        raise InputError("--decline", reason, str(refusal)) from None


def is_open_session(run: str, db: str) -> bool:
    """Return whether a saved run is a session that has not ended.

    A session whose process died while opening it counts as open.
    """

    async def check_open() -> bool:
        async with open_database(db, create=False) as store:
            saved = await load_saved_run(store, check_run_name(run))
            return is_session(saved) and (bool(saved.next) or is_incomplete(saved))

    return asyncio.run(check_open())


def choose_seat(person: str, participants: Sequence[Participant]) -> str:
    """Return the name of this terminal's person in the session: the given name, or the only person's.

    Raises `InputError` if the name belongs to a model, to no participant, or if several people take
    part.
    """
    seats = [participant.name for participant in participants if participant.kind != "model"]
    if person in seats or not person:
        return person
    people = [participant.name for participant in participants if participant.kind == "person"]
    if person == DEFAULT_NAME and len(people) < 2:
        return people[0] if people else ""
    if person == DEFAULT_NAME:
        raise InputError("--as", None, f"several people take part; say who you are: {', '.join(people)}")
    reason = "a model speaks for this one" if person in list_names(list(participants)) else "not at this table"
    raise InputError("--as", person, f"{reason}; choose {', '.join(seats) or 'nobody: only models take part'}")


async def _load_session(run: str, terminal: Terminal) -> SavedRun:
    async with open_database(terminal.view.db, create=False) as store:
        terminal.run, terminal.database = run, terminal.view.db and store.address
        return await load_resumable_session(store, run)


async def load_saved_session(session: AsyncSession) -> SavedRun:
    """Load the saved run of a session."""
    async with open_database(session.db, create=False) as store:
        return await load_saved_run(store, session.run)
