"""`moot fork`: what if? A new run that goes on from a moment of another, with something changed."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

from rich.table import Table
from typer import Option

from ...state.refused import Refused
from ..config import assignments
from ..difference import difference
from ..display.announcement import announce_resumed
from ..display.ending import show_ending
from ..display.terminal import Terminal
from ..document import document
from ..failure import Waits
from ..options import RunName, Text, View, spread
from ..run import run_to_end
from ..saved import Checkpoint, Saved, branched, checkpoints, load, opened

At = Annotated[str, Option("--at", metavar="N|step:N", help="After turn N, or from a checkpoint of `moot history`.")]
Changes = Annotated[
    list[str], Option("--set", metavar="KEY=VALUE", help="statement.3=…, persona.NAME=…, model=…, or any rule.")
]


Model = Annotated[Text, Option("--model", metavar="SPEC", help="Model of all who have none of their own.")]


@spread
def fork(run: RunName, at: At, changes: Changes = [], model: Model = None, *, view: View) -> None:  # noqa: B006 - typer needs the list
    """Go on from a moment of a saved run, changed, as a run of its own; then compare the two."""
    said = {} if model is None else {"model": model}
    asyncio.run(_forked(run, at, said | assignments(changes), view))


async def _forked(name: str, at: str, changes: Mapping[str, Any], view: View) -> None:
    terminal, waits = Terminal(view), None
    with terminal.resumable():
        async with opened(view.db, create=False) as store:
            terminal.place = view.db and store.where
            original = await load(store, name)
            moment = chosen(await checkpoints(store, original), at)
            run = await branched(store, original, moment, changes)
            async with store.lock(run.run):
                branch = await load(store, run.run)
                announce_resumed(terminal, branch)
                try:
                    saved = await run_to_end(store, run.run, None, terminal)
                except Waits as found:
                    waits, saved = found, await load(store, run.run)
            first = await load(store, name)
        show_ending(terminal, saved)
        if terminal.shows:
            _compared(terminal, first, saved)
        if waits:
            raise waits


def chosen(found: list[Checkpoint], at: str) -> Checkpoint:
    """The checkpoint after turn N, `step:N` by its number. Raises `Refused` if there is none."""
    kind, _, number = at.rpartition(":")
    if kind not in ("", "step") or not number.isdigit():
        raise Refused("--at", at, "give a turn, such as 3, or a checkpoint, such as step:17")
    counted = {one.step if kind else one.turn: one for one in reversed(found) if one.next}
    if int(number) not in counted:
        known = ", ".join(str(each) for each in sorted(counted))
        raise Refused("--at", at, f"there is no such moment to go on from; there are {known}")
    return counted[int(number)]


def _compared(terminal: Terminal, first: Saved, second: Saved) -> None:
    table = Table("", first.run.run, second.run.run, title="What differed")
    for row in difference(document(first), document(second)):
        table.add_row(*row)
    terminal.screen.console.print(table)
    terminal.screen.line("")
