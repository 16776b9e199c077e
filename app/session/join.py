"""Taking part in a session that somebody opened: joining it at the terminal, or declining."""

import asyncio
from collections.abc import Sequence
from typing import Any

from ...state.refused import Refused
from ...state.rules import revived
from ...state.session import SendRefused
from ...state.statement import Participant, names
from ..commands.options import View
from ..commands.running import Running as Showing
from ..display.announcement import take_up
from ..display.farewell import ended
from ..display.wording import say
from ..play import driven
from ..saved import Saved, checked, ended_alone, load, opened
from .asynchronous import AsyncSession
from .converse import Conversation
from .held import Drive, going_on

UNNAMED = "You"
"""Who sits at a terminal and gave no name."""


def shown_by(showing: Showing) -> Drive:
    """Run a session's graph so that it is shown as it goes, and Ctrl-C stops it."""

    async def drive(store: Any, run: str, given: Any) -> None:
        showing.place = showing.view.db and store.where
        await driven(store, run, given, showing)

    return drive


def take_part(run: str, person: str, view: View, decline: str | None = None) -> None:
    """Take up a saved session at the terminal; whoever sits here is `person`, as `seat_of` finds the seat.

    `decline`: why the invitation is declined; none: it is not.
    """
    showing = Showing(view)
    with showing.resumable():
        saved = asyncio.run(_found(run, showing))
        session = AsyncSession(run, view.db, revived(saved.run.rules))  # type: ignore[arg-type]
        session.drive = shown_by(showing)
        take_up(showing, saved)
        seats = asyncio.run(session.snapshot()).stage["participants"]
        me = seat_of(person, seats)
        if decline is None:
            Conversation(session, me, showing).go()
        elif not declined(session, me, decline):
            return showing.screen.line(say(showing.language, "table.declined", who=me))
    ended(showing, asyncio.run(saved_session(session)), before=saved.finished)


def declined(session: AsyncSession, me: str, reason: str) -> bool:
    """Decline the invitation; whether that was the end of the session."""
    try:
        return asyncio.run(session.answer(me, False, reason)).outcome is not None
    except SendRefused as no:
        raise Refused("--decline", reason, str(no)) from None


def is_open_session(run: str, db: str) -> bool:
    """Whether a saved run is a session that has not ended, be it that its process died while opening it."""

    async def found() -> bool:
        async with opened(db, create=False) as store:
            saved = await load(store, checked(run))
            goes_on = bool(saved.next) or ended_alone(saved)
            return saved.run.protocol == "discussion" and goes_on

    return asyncio.run(found())


def seat_of(person: str, participants: Sequence[Participant]) -> str:
    """The seat of whoever sits here: by name; where none was given, that of the only person who takes part.

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


async def _found(run: str, showing: Showing) -> Saved:
    async with opened(showing.view.db, create=False) as store:
        showing.run, showing.place = run, showing.view.db and store.where
        return await going_on(store, run)


async def saved_session(session: AsyncSession) -> Saved:
    async with opened(session.db, create=False) as store:
        return await load(store, session.run)
