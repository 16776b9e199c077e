"""Begin a deliberation from the command line: check what is asked, save it, run it, show how it ended."""

import asyncio
from pathlib import Path
from typing import Any

from ..nodes.clock import stamp
from ..nodes.models.chat import default_spec
from .config import read_text
from .display.ending import show_ending
from .display.terminal import Terminal
from .estimate import announcement
from .options import Knobs, View
from .protocols import protocol
from .request import Request, request
from .run import run_to_end
from .saved import Run, Store, new_name, opened


def about(topic: str | None, material: Path | None) -> dict[str, Any]:
    """The input most protocols share."""
    return {"topic": topic, "material": read_text(material, "material") if material else None}


def begin(name: str, input: dict[str, Any], knobs: Knobs, view: View) -> None:
    """Check the request, run it, and show how it ended. Values of `input` that are none were not given."""
    given = {key: value for key, value in input.items() if value is not None}
    begin_asked(request(protocol(name), given, knobs), view)


def begin_asked(asked: Request, view: View) -> None:
    """Run what was asked, and show how it ended."""
    asyncio.run(_begun(asked, view))


async def _begun(asked: Request, view: View) -> None:
    if not asked.rules.replay:
        asked = asked.with_model(str(asked.rules.model) or await default_spec())
    terminal = Terminal(view)
    terminal.expected = await announcement(asked)
    with terminal.resumable():
        async with opened(view.db) as store:
            terminal.place = view.db and store.where
            run = await entered(store, asked)
            async with store.lock(run.run):
                saved = await run_to_end(store, run.run, asked.input, terminal)
    show_ending(terminal, saved)


async def entered(store: Store, asked: Request) -> Run:
    """A new row for this request, under a name that nobody has."""
    topic = "" if store.private else asked.topic
    while True:
        run = row(asked, new_name(asked.protocol.name, topic))
        if await store.runs.add(run):
            return run


def row(asked: Request, name: str) -> Run:
    """The row of a run of this request that begins now."""
    return Run(
        run=name,
        protocol=asked.protocol.name,
        topic=asked.topic,
        started=stamp(),
        rules=asked.rules.model_dump(mode="json"),
    )
