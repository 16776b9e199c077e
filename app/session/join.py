"""Join a saved session at the terminal, or decline its invitation."""

import asyncio
from collections.abc import Sequence
from typing import Any

from ...state.refused import Refused
from ...state.rules import revived
from ...state.session import SendRefused
from ...state.statement import Participant, names
from ..display.announcement import announce_resumed
from ..display.ending import show_ending
from ..display.terminal import Terminal
from ..display.wording import say
from ..options import View
from ..run import run_shown
from ..saved import Saved, checked, ended_alone, load, opened
from .asynchronous import AsyncSession
from .conversation import Conversation
from .locked import Drive, going_on, is_session
from .own_name import UNNAMED


def shown_by(terminal: Terminal) -> Drive:
    """A `Drive` that shows the session on a terminal and can be interrupted."""

    async def drive(store: Any, run: str, given: Any) -> None:
        terminal.place = terminal.view.db and store.where
        await run_shown(store, run, given, terminal)

    return drive


def take_part(run: str, person: str, view: View, decline: str | None = None, wait: bool = False) -> None:
    """Take part in a saved session at the terminal, as `person`, whose seat `seat_of` finds.

    `decline`: why the invitation is declined; none: it is not. `wait`: also while others are expected.
    """
    terminal = Terminal(view)
    with terminal.resumable():
        saved = asyncio.run(_found(run, terminal))
        session = AsyncSession(run, view.db, revived(saved.run.rules))  # type: ignore[arg-type]
        session.drive = shown_by(terminal)
        announce_resumed(terminal, saved)
        seats = asyncio.run(session.snapshot()).stage["participants"]
        me = seat_of(person, seats)
        if decline is None:
            Conversation(session, me, terminal, wait=wait).go()
        elif not declined(session, me, decline):
            return terminal.screen.line(say(terminal.language, "table.declined", who=me))
    show_ending(terminal, asyncio.run(saved_session(session)), before=saved.finished)


def declined(session: AsyncSession, me: str, reason: str) -> bool:
    """Decline the invitation; whether that was the end of the session."""
    try:
        return asyncio.run(session.answer(me, False, reason)).outcome is not None
    except SendRefused as no:
        raise Refused("--decline", reason, str(no)) from None


def is_open_session(run: str, db: str) -> bool:
    """Whether a saved run is a session that has not ended, even if its process died while opening it."""

    async def found() -> bool:
        async with opened(db, create=False) as store:
            saved = await load(store, checked(run))
            return is_session(saved) and (bool(saved.next) or ended_alone(saved))

    return asyncio.run(found())


def seat_of(person: str, participants: Sequence[Participant]) -> str:
    """The name of the person at this terminal in the session: the one given, else that of the only person there.

    Raises `Refused` where it is a model's, is nobody's, or could be that of several.
    """
    seats = [one.name for one in participants if one.kind != "model"]
    if person in seats or not person:
        return person
    people = [one.name for one in participants if one.kind == "person"]
    if person == UNNAMED and len(people) < 2:
        return people[0] if people else ""
    if person == UNNAMED:
        raise Refused("--as", None, f"several people take part; say who you are: {', '.join(people)}")
    why = "a model speaks for this one" if person in names(list(participants)) else "not at this table"
    raise Refused("--as", person, f"{why}; choose {', '.join(seats) or 'nobody: only models take part'}")


async def _found(run: str, terminal: Terminal) -> Saved:
    async with opened(terminal.view.db, create=False) as store:
        terminal.run, terminal.place = run, terminal.view.db and store.where
        return await going_on(store, run)


async def saved_session(session: AsyncSession) -> Saved:
    async with opened(session.db, create=False) as store:
        return await load(store, session.run)
