"""`moot runs`: what is saved."""

import asyncio
import sys
from pathlib import Path
from typing import Any

from rich.table import Column, Table

from ...nodes.database import default_database, is_postgres
from ...state.ends import UNAVAILABLE
from ...state.text import clipped
from ..display.plain import as_json, one_line
from ..display.screen import Screen
from ..options import AsJson, Database, NoColor
from ..saved import Run, Store, opened, state_of

TOPIC_LENGTH, PLAIN_LENGTH = 48, 100
"""Characters shown of a topic: in a table, and in plain output; JSON has all."""
PLAIN = "moot: written before MOOT_DB_KEY was set, and not encrypted: {runs}"


def runs(db: Database = "", json: AsJson = False, no_color: NoColor = False) -> None:
    """List saved runs, newest first."""
    found, plain = asyncio.run(_found(db))
    if plain:
        print(PLAIN.format(runs=", ".join(plain)), file=sys.stderr)
    if json:
        print(as_json(found))
        return
    screen = Screen(no_color=no_color)
    if not found:
        screen.line("No runs are saved here yet. Begin one with: moot debate TOPIC")
    elif screen.live:
        screen.console.print(_table(found))
    else:
        for one in found:
            shown = one | {"topic": clipped(one_line(one["topic"]), PLAIN_LENGTH)}
            print("\t".join(one_line(str(value if value is not None else "")) for value in shown.values()))


async def listed(db: str) -> list[dict[str, Any]]:
    """Every run as `{run, protocol, topic, state, turns, ending, tokens, startedAt}`, newest first."""
    return (await _found(db))[0]


async def _found(db: str) -> tuple[list[dict[str, Any]], list[str]]:
    """Every run, and the names of those that a key has come too late for."""
    where = db or default_database()
    if not is_postgres(where) and not Path(where).expanduser().exists():
        return [], []
    async with opened(where, reading=True) as store:
        found = [await _line(store, run) for run in await store.runs.all()]
        return found, await store.runs.plain() if found else []


async def _line(store: Store, run: Run) -> dict[str, Any]:
    saved = run if run.finished else (await state_of(store, run)).row()
    return {
        "run": saved.run,
        "protocol": saved.protocol,
        "topic": saved.topic,
        "state": await _standing(store, saved),
        "turns": saved.turns,
        "ending": saved.ending or None,
        "tokens": saved.tokens,
        "startedAt": saved.started,
    }


async def _standing(store: Store, run: Run) -> str:
    """Whether a run is finished, running or stopped; one whose participants could not be reached goes on later."""
    if run.finished and run.ending != UNAVAILABLE:
        return "finished"
    return "running" if await store.is_held(run.run) else "stopped"


def _table(found: list[dict[str, Any]]) -> Table:
    table = Table(Column("run", no_wrap=True, overflow="fold"), box=None, padding=(0, 1, 0, 0))
    for head in ("about", "state", "turns", "ending", "tokens"):
        table.add_column(head, overflow="fold", justify="right" if head in ("turns", "tokens") else "left")
    for one in found:
        topic = one_line(one["topic"])
        shown = topic if len(topic) <= TOPIC_LENGTH else f"{topic[: TOPIC_LENGTH - 1]}…"
        ending = (one["ending"] or "").replace("_", " ")
        row = [one["run"], shown, one["state"], one["turns"], ending, f"{one['tokens']:,}"]
        table.add_row(*(str(cell) for cell in row))
    return table
