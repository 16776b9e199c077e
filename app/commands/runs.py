"""`moot runs`: what is saved."""

import asyncio
import re
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

from rich.cells import cell_len, set_cell_size
from typer import Option

from ...nodes.clock import now
from ...nodes.database import default_database, is_postgres
from ...state.ends import UNAVAILABLE
from ...state.refused import Refused
from ...state.text import clipped
from ..display.plain import as_json, one_line
from ..display.screen import QUIET, TITLE, WRONG, Screen
from ..options import AsJson, Database, NoColor, Text
from ..protocols import protocol
from ..saved import Run, Store, opened, state_of

PLAIN_LENGTH = 100
"""Characters shown of a topic in plain output; JSON has all."""
PLAIN = "moot: written before MOOT_DB_KEY was set, and not encrypted: {runs}"
STATES = ("running", "stopped", "finished")
AGO = re.compile(r"(\d{1,4})\s*([hdw])")
HOURS = {"h": 1, "d": 24, "w": 24 * 7}

Protocol = Annotated[Text, Option("--protocol", metavar="NAME", help="Only runs of this protocol.")]
State = Annotated[Text, Option("--state", metavar="STATE", help=f"Only those that are {', '.join(STATES)}.")]
Since = Annotated[
    Text, Option("--since", metavar="WHEN", help="Only those begun since 2026-01-31, today, yesterday, 12h, 2d, 1w.")
]


def runs(
    kind: Protocol = None,
    state: State = None,
    since: Since = None,
    db: Database = "",
    json: AsJson = False,
    no_color: NoColor = False,
) -> None:
    """List saved runs, newest first."""
    name, begun = kind and protocol(kind).name, since_when(since) if since else None
    if state not in (None, *STATES):
        raise Refused("--state", state, f"choose one of {', '.join(STATES)}")
    found, plain = asyncio.run(_found(db, name, begun))
    found = [one for one in found if state in (None, one["state"])]
    if plain:
        print(PLAIN.format(runs=", ".join(plain)), file=sys.stderr)
    if json:
        print(as_json(found))
        return
    screen = Screen(no_color=no_color)
    if not found:
        asked = any((kind, state, since))
        none_yet = "No runs are saved here yet. Begin one with: moot debate TOPIC"
        screen.line("No saved run is like that." if asked else none_yet)
    elif screen.live:
        _show(screen, found)
    else:
        for one in found:
            shown = one | {"topic": clipped(one_line(one["topic"]), PLAIN_LENGTH)}
            print("\t".join(one_line(str(value if value is not None else "")) for value in shown.values()).rstrip("\t"))


async def _found(db: str, kind: str | None, begun: datetime | None) -> tuple[list[dict[str, Any]], list[str]]:
    """The runs of a protocol, begun since then, and the names of all those that a key has come too late for."""
    where = db or default_database()
    if not is_postgres(where) and not Path(where).expanduser().exists():
        return [], []
    async with opened(where, reading=True) as store:
        rows = [run for run in await store.runs.all() if kind in (None, run.protocol)]
        rows = [run for run in rows if begun is None or datetime.fromisoformat(run.started) >= begun]
        found = [await _line(store, run) for run in rows]
        return found, await store.runs.plain() if found else []


async def _line(store: Store, run: Run) -> dict[str, Any]:
    """A run as `{run, protocol, topic, state, turns, ending, tokens, startedAt}`."""
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
        "fault": saved.fault or None,
    }


async def _standing(store: Store, run: Run) -> str:
    """Whether a run is finished, running or stopped; one whose participants could not be reached goes on later."""
    if run.finished and run.ending != UNAVAILABLE:
        return "finished"
    return "running" if await store.is_held(run.run) else "stopped"


def since_when(said: str) -> datetime:
    """The moment meant by a date or time of this place, `today`, `yesterday`, or so many hours, days, weeks ago."""
    text, here = said.strip().casefold(), now().astimezone()
    midnight = here.replace(hour=0, minute=0, second=0, microsecond=0)
    if text in ("today", "yesterday"):
        return midnight - timedelta(days=text == "yesterday")
    if ago := AGO.fullmatch(text):
        return here - timedelta(hours=int(ago[1]) * HOURS[ago[2]])
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError:
        raise Refused("--since", said, "give a date such as 2026-01-31, today, yesterday, 12h, 2d or 1w") from None


def _show(screen: Screen, found: list[dict[str, Any]]) -> None:
    """Two lines a run, no wider than the terminal: name, when, state; then what it was about and what came of it."""
    width = screen.console.width
    names = min(max(len(one["run"]) for one in found), width - len("  2026-01-31 23:59  finished"))
    for one in found:
        when = datetime.fromisoformat(one["startedAt"]).astimezone().strftime("%Y-%m-%d %H:%M")
        screen.line(f"{one['run']:<{names}}  {when}  {one['state']}", TITLE)
        turns = f"{one['turns']} turn{'s' if one['turns'] != 1 else ''}"
        said = " · ".join(filter(None, [turns, (one["ending"] or "").replace("_", " ")]))
        room = width - len(f"  {said} · ")
        topic = one_line(one["topic"])
        about = topic if cell_len(topic) <= room else f"{set_cell_size(topic, max(room - 1, 0)).rstrip()}…"
        screen.line("  " + " · ".join(filter(None, [about if room > 8 else "", said])), QUIET)
        if one["fault"]:
            screen.line(f"  {one['fault']}", WRONG)
