"""`moot fork`: what if? A new run that goes on from a moment of another, with something changed."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic_core import to_jsonable_python
from rich.table import Table
from typer import Option

from ...nodes.clock import stamp
from ...nodes.inputs import check_models
from ...nodes.models.failures import Stopped
from ...state.refused import Refused
from ...state.text import clipped
from ..config import assignments
from ..display.announcement import take_up
from ..display.farewell import ended
from ..display.plain import one_line
from ..document import document
from ..play import play
from ..saved import Run, Saved, Store, changed, load, new_name, opened, thread
from ..session.converse import waiting_for
from ..session.snapshot import Snapshot
from .history import Checkpoint, checkpoints
from .options import Text, View, spread
from .resume import RunName
from .running import Running

Row = tuple[str, str, str]
"""What is compared, in the first run, in the second."""

SHOWN = 300
"""Characters shown of a text."""


def difference(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Row]:
    """A row for each thing that differs; the statements up to the first that differs are one line."""
    rows = [_row(key, first.get(key), second.get(key)) for key in ("topic", "model", "seed")]
    rows += _settings(first, second)
    rows += [_row("personas", _personas(first), _personas(second))]
    rows += [_row("ending", first["terminationReason"], second["terminationReason"])]
    rows += _statements(first["turns"], second["turns"])
    rows += [_row(key, first.get(key), second.get(key)) for key in ("headline", "synthesis")]
    rows += [_row("turns", len(first["turns"]), len(second["turns"]))]
    rows += [_row("tokens", first["totalTokens"], second["totalTokens"])]
    return [row for row in rows if row[1] != row[2]]


def _settings(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Row]:
    one, other = first.get("rules") or {}, second.get("rules") or {}
    return [_row(f"rules.{key}", one.get(key), other.get(key)) for key in sorted({*one, *other} - {"model", "seed"})]


def _statements(first: list[Mapping[str, Any]], second: list[Mapping[str, Any]]) -> list[Row]:
    theirs = {one["turnNumber"]: one["content"] for one in second}
    ours = {one["turnNumber"]: one["content"] for one in first}
    parted = [turn for turn in sorted({*ours, *theirs}) if ours.get(turn) != theirs.get(turn)]
    return [_row(f"statement {turn}", ours.get(turn, "–"), theirs.get(turn, "–")) for turn in parted]


def _personas(document: Mapping[str, Any]) -> str:
    return "; ".join(f"{one['name']}: {one['persona']}" for one in document["participants"])


def _row(what: str, first: object, second: object) -> Row:
    return what, clipped(one_line(str(first)), SHOWN), clipped(one_line(str(second)), SHOWN)


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
    session = Running(view)
    with session.resumable():
        async with opened(view.db, create=False) as store:
            session.place = view.db and store.where
            original = await load(store, name)
            moment = chosen(await checkpoints(store, original), at)
            run = await branched(store, original, moment, changes)
            async with store.lock(run.run):
                branch = await load(store, run.run)
                take_up(session, branch)
                saved = await play(store, run.run, None, session)
            first = await load(store, name)
    ended(session, saved)
    if session.shows:
        _compared(session, first, saved)
    if saved.next:
        waiting = waiting_for(Snapshot(saved.run.run, saved.state))
        raise Stopped(f"{waiting}; saved, go on with: {session.command('resume', saved.run.run)}")


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


async def branched(store: Store, original: Saved, moment: Checkpoint, changes: Mapping[str, Any]) -> Run:
    """A new run whose state is that of the moment with the changes made; the original is not touched."""
    if len(moment.ran) != 1:
        raise Refused("--at", f"step:{moment.step}", "several steps ran there at once; choose a turn, or another step")
    state = changed(moment.values, changes)
    check_models(state["rules"], state["participants"])
    rules = state["rules"].model_dump(mode="json")
    run = Run(
        run=new_name(original.run.protocol, "" if store.private else original.run.topic),
        protocol=original.run.protocol,
        topic=str(state.get("topic", original.run.topic)),
        started=stamp(),
        rules=rules,
        forked_from=f"{original.run.run} step:{moment.step}",
        forked_turn=moment.turn,
        forked_with=to_jsonable_python(changes, inf_nan_mode="strings", fallback=str),
    )
    await store.runs.add(run)
    await store.graph(run.protocol).aupdate_state(thread(run.run), state, as_node=moment.ran[0])
    return run


def _compared(session: Running, first: Saved, second: Saved) -> None:
    table = Table("", first.run.run, second.run.run, title="What differed")
    for row in difference(document(first), document(second)):
        table.add_row(*row)
    session.screen.console.print(table)
    session.screen.line("")
