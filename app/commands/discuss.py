"""`moot discuss`: a session at the terminal, among models and the person who types."""

import asyncio
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from ...nodes.models.chat import default_spec
from ...state.refused import Refused
from ...state.statement import Participant
from ..begin import about
from ..display.ending import show_ending
from ..display.terminal import Terminal
from ..estimate import announcement
from ..options import Material, SessionKnobs, Text, Topic, View, seats_of, spread
from ..protocols import protocol
from ..request import Request, request
from ..saved import checked
from ..session.asynchronous import AsyncSession
from ..session.conversation import Conversation
from ..session.join import saved_session, seat_of, shown_by, take_part
from ..session.open_session import begun
from ..session.own_name import UNNAMED, own_name

MODELS = ("Ada", "Ben", "Cleo")


@dataclass(frozen=True)
class Table:
    """Who takes part in the session, and how long it lasts at most."""

    me: Annotated[Text, Option("--as", metavar="NAME", help="Your name at the table; You if not given.")] = None
    people: Annotated[
        list[str], Option("--with", metavar="NAME[=MODEL]", help="A model at the table, or =person; again for more.")
    ] = field(default_factory=list)
    models_only: Annotated[bool, Option("--models-only", help="Three models among themselves.")] = False
    run: Annotated[Text, Option("--run", metavar="RUN", help="Take part in this saved session.")] = None
    decline: Annotated[
        Text, Option("--decline", metavar="REASON", help="Decline the invitation to the session of --run.")
    ] = None
    ttl: Annotated[float | None, Option("--ttl", metavar="SECONDS", help="How long the session lives.")] = None
    max_rounds: Annotated[int | None, Option("--max-rounds", metavar="N", help="Rounds at most.")] = None

    @property
    def person(self) -> str:
        """The name of the person at this terminal; empty: nobody takes part from here."""
        if self.models_only:
            return ""
        return self.me or (UNNAMED if sys.stdin.isatty() else "")

    def cast(self) -> list[dict[str, str]]:
        """The participants, the person at this terminal first."""
        models = seats_of(self.people) or [{"name": name} for name in MODELS[: 2 if self.person else 3]]
        return [*([{"name": self.person, "kind": "person"}] if self.person else []), *models]


@spread
def discuss(topic: Topic = None, material: Material = None, *, table: Table, knobs: SessionKnobs, view: View) -> None:
    """People, programs and models speak strictly in turn, until one closes it.

    Several paragraphs pasted at a terminal are one turn; from a pipe each line is a turn of its own.
    """
    if table.run:
        _refuse_opening(table, {"topic": topic, "--material": material, "--config": knobs.config, "--set": knobs.set})
        _refuse_opening(table, {f"--{key.replace('_', '-')}": value for key, value in knobs.given().items()})
        return take_part(checked(table.run), table.person, view, table.decline)
    if table.decline is not None:
        raise Refused("--decline", table.decline, "name the session it is about with --run")
    if table.people and table.person == UNNAMED and not view.json:
        table = replace(table, me=own_name(knobs.language or "en"))
    chosen = {"participants": table.cast()} if table.people else {}
    given = about(topic, material) | {"ttl": table.ttl, "max_rounds": table.max_rounds} | chosen
    asked = request(protocol("discussion"), {key: one for key, one in given.items() if one is not None}, knobs)
    if table.person == UNNAMED and not view.json and not asked.input.get("participants"):
        table = replace(table, me=own_name(asked.rules.language))
    if not asked.input.get("participants"):
        cast = [Participant.model_validate(one) for one in table.cast()]
        asked = replace(asked, input=asked.input | {"participants": cast})
    me, terminal = seat_of(table.person, asked.input["participants"]), Terminal(view)
    with terminal.resumable():
        session = asyncio.run(_opened(asked, terminal))
        Conversation(session, me, terminal).go()
    show_ending(terminal, asyncio.run(saved_session(session)))


def _refuse_opening(table: Table, given: dict[str, Any]) -> None:
    """Refuse options that only open a new session where a saved one is named."""
    own = {"--with": table.people, "--models-only": table.models_only}
    limits = {"--ttl": table.ttl, "--max-rounds": table.max_rounds}
    for key, value in (given | own | limits).items():
        if value not in (None, False, []):
            remedy = f"{table.run} is saved and has its own; leave it out, or leave out --run"
            raise Refused(key, str(value) if isinstance(value, Path) else value, remedy)


async def _opened(asked: Request, terminal: Terminal) -> AsyncSession:
    asked = asked.with_model(str(asked.rules.model) or await default_spec())
    terminal.expected = await announcement(asked)
    return await begun(asked, terminal.view.db, drive=shown_by(terminal))
