"""`moot discuss`: a session at the terminal, among models and whoever sits here."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from typer import Option

from ..nodes.models import default_spec
from ..state.refusal import Refused
from ..state.rules import revived
from ..state.statement import Participant, names
from .begin import Material, Topic, about
from .converse import Talk
from .desk import Drive, seated
from .ending import ended
from .expected import announcement
from .names import checked
from .open_session import begun
from .opening import take_up
from .options import Knobs, Text, View
from .play import driven
from .protocols import protocol
from .request import Request, request
from .saved import Saved, load
from .session import Session as Showing
from .sitting import AsyncSession
from .spread import spread
from .store import opened

MODELS = ("Ada", "Ben", "Cleo")


@dataclass(frozen=True)
class Table:
    """Who sits at the table, and for how long."""

    me: Annotated[Text, Option("--as", metavar="NAME", help="Your name at the table; You if not given.")] = None
    people: Annotated[
        list[str], Option("--with", metavar="NAME[=MODEL]", help="A model at the table; again for more.")
    ] = field(default_factory=list)
    models_only: Annotated[bool, Option("--models-only", help="Three models among themselves.")] = False
    run: Annotated[Text, Option("--run", metavar="RUN", help="Take part in this saved session.")] = None
    ttl: Annotated[float | None, Option("--ttl", metavar="SECONDS", help="How long the session lives.")] = None
    max_rounds: Annotated[int | None, Option("--max-rounds", metavar="N", help="Rounds at most.")] = None

    @property
    def person(self) -> str:
        """Who sits here; empty: nobody."""
        if self.models_only:
            return ""
        return self.me or ("You" if sys.stdin.isatty() else "")

    def cast(self) -> list[dict[str, str]]:
        """The seats, whoever sits here first."""
        named = [name.partition("=") for name in self.people]
        models = [{"name": name.strip(), "model": model.strip()} for name, _, model in named]
        models = models or [{"name": name} for name in MODELS[: 2 if self.person else 3]]
        return [*([{"name": self.person, "kind": "person"}] if self.person else []), *models]


@spread
def discuss(topic: Topic = None, material: Material = None, *, table: Table, knobs: Knobs, view: View) -> None:
    """People, programs and models speak strictly in turn, until one closes it."""
    if table.run:
        return take_part(checked(table.run), table.person, view)
    chosen = {"participants": table.cast()} if table.people else {}
    given = about(topic, material) | {"ttl": table.ttl, "max_rounds": table.max_rounds} | chosen
    asked = request(protocol("discussion"), {key: one for key, one in given.items() if one is not None}, knobs)
    if not asked.input.get("participants"):
        cast = [Participant.model_validate(one) for one in table.cast()]
        asked = replace(asked, input=asked.input | {"participants": cast})
    me, showing = seat_of(table.person, asked.input["participants"]), Showing(view)
    with showing.resumable():
        session = asyncio.run(_opened(asked, showing))
        Talk(session, me, showing).go()
    ended(showing, asyncio.run(_saved(session)))


async def _opened(asked: Request, showing: Showing) -> AsyncSession:
    asked = asked.with_model(str(asked.rules.model) or await default_spec())
    showing.expected = await announcement(asked)
    return await begun(asked, showing.view.db, drive=shown_by(showing))


def shown_by(showing: Showing) -> Drive:
    """Run a session's graph so that it is shown as it goes, and Ctrl-C stops it."""

    async def drive(store: Any, run: str, given: Any) -> None:
        showing.place = showing.view.db and store.where
        await driven(store, run, given, showing)

    return drive


def take_part(run: str, person: str, view: View) -> None:
    """Take up a saved session at the terminal; whoever sits here is `person`, or the first person at the table."""
    showing = Showing(view)
    with showing.resumable():
        saved = asyncio.run(_found(run, showing))
        session = AsyncSession(run, view.db, revived(saved.run.rules))  # type: ignore[arg-type]
        session.drive = shown_by(showing)
        take_up(showing, saved)
        seats = asyncio.run(session.look()).stage["participants"]
        Talk(session, seat_of(person, seats), showing).go()
    ended(showing, asyncio.run(_saved(session)), before=saved.finished)


def is_open_session(run: str, db: str) -> bool:
    """Whether a saved run is a session that has not ended, be it that its process died while opening it."""

    async def found() -> bool:
        async with opened(db, create=False) as store:
            saved = await load(store, checked(run))
            return saved.run.protocol == "discussion" and bool(saved.next)

    return asyncio.run(found())


def seat_of(person: str, participants: Sequence[Participant]) -> str:
    """The seat of whoever sits here: by name; where no name was given, the first seat that is a person's."""
    if person in names(list(participants)) or not person:
        return person
    seats = [one.name for one in participants if one.kind != "model"]
    if person == "You":
        return seats[0] if seats else ""
    raise Refused("--as", person, f"not at this table; choose {', '.join(seats)}")


async def _found(run: str, showing: Showing) -> Saved:
    async with opened(showing.view.db, create=False) as store:
        showing.run, showing.place = run, showing.view.db and store.where
        return await seated(store, run)


async def _saved(session: AsyncSession) -> Saved:
    async with opened(session.db, create=False) as store:
        return await load(store, session.run)
