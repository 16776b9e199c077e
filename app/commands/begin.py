"""The commands that begin a deliberation, one for each protocol."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from ...nodes.clock import stamp
from ...nodes.models.chat import default_spec
from ..config import read_text
from ..display.farewell import ended
from ..expected import announcement
from ..play import play
from ..protocols import protocol
from ..request import Request, request
from ..saved import Run, Store, new_name, opened
from .options import Knobs, Text, View, spread
from .running import Running

Topic = Annotated[Text, Argument(metavar="TOPIC", help="What it is about.", show_default=False)]
Material = Annotated[Path | None, Option("--material", metavar="FILE", help="Background that everyone sees.")]


@dataclass(frozen=True)
class Sides:
    """The two sides' own personas."""

    pro: Annotated[Text, Option("--pro", metavar="PERSONA", help="Who argues for it, in your own words.")] = None
    con: Annotated[Text, Option("--con", metavar="PERSONA", help="Who argues against it.")] = None

    def personas(self) -> dict[str, str]:
        """The personas that were given, by side."""
        return {side: text for side, text in vars(self).items() if text is not None}


@spread
def debate(topic: Topic = None, material: Material = None, *, sides: Sides, knobs: Knobs, view: View) -> None:
    """Two speakers, for and against, until one concedes or they are stuck."""
    begin("debate", about(topic, material) | {"personas": sides.personas() or None}, knobs, view)


@dataclass(frozen=True)
class Group:
    """Who takes part in a group, and how it agrees."""

    people: Annotated[
        list[str], Option("--with", metavar="NAME[=MODEL]", help="A participant, and its model; again for more.")
    ] = field(default_factory=list)
    max_rounds: Annotated[int | None, Option("--max-rounds", metavar="N", help="Rounds at most.")] = None
    turn_order: Annotated[
        Text, Option("--turn-order", metavar="ORDER", help="round_robin, least_spoken, yield_floor or shuffled.")
    ] = None
    convergence: Annotated[
        Text, Option("--convergence", metavar="HOW", help="Measured by: declared, lexical, embedding or judge.")
    ] = None
    vote: Annotated[Text, Option("--vote", metavar="RULE", help="Counting rule of a closing vote, or off.")] = None

    def given(self) -> dict[str, Any]:
        """The input and knobs that were given."""
        named = [name.partition("=") for name in self.people]
        cast = [{"name": name.strip(), "model": model.strip()} for name, _, model in named]
        knobs = {key: value for key, value in vars(self).items() if key != "people"}
        return knobs | {"participants": cast or None}


@spread
def consensus(topic: Topic = None, material: Material = None, *, group: Group, knobs: Knobs, view: View) -> None:
    """Three or more look for common ground; dissent is kept."""
    begin("consensus", about(topic, material) | group.given(), knobs, view)


def about(topic: str | None, material: Path | None) -> dict[str, Any]:
    """The input most protocols share."""
    return {"topic": topic, "material": read_text(material, "material") if material else None}


def begin(name: str, input: dict[str, Any], knobs: Knobs, view: View) -> None:
    """Check the request, run it, and show how it ended. Values of `input` that are none were not given."""
    given = {key: value for key, value in input.items() if value is not None}
    asyncio.run(_begun(request(protocol(name), given, knobs), view))


async def _begun(asked: Request, view: View) -> None:
    asked = asked.with_model(str(asked.rules.model) or await default_spec())
    session = Running(view)
    session.expected = await announcement(asked)
    with session.resumable():
        async with opened(view.db) as store:
            session.place = view.db and store.where
            run = await entered(store, asked)
            async with store.lock(run.run):
                saved = await play(store, run.run, asked.input, session)
    ended(session, saved)


async def entered(store: Store, asked: Request) -> Run:
    """A new row for this request, under a name that nobody has."""
    topic = "" if store.private else asked.topic
    while True:
        run = Run(
            run=new_name(asked.protocol.name, topic),
            protocol=asked.protocol.name,
            topic=asked.topic,
            started=stamp(),
            rules=asked.rules.model_dump(mode="json"),
        )
        if await store.runs.add(run):
            return run
