"""`moot history`: the checkpoints of a saved run, a line each."""

import asyncio

from ..display.plain import as_json, one_line
from ..display.screen import QUIET, TITLE, Screen
from ..options import AsJson, Database, RunName
from ..saved import Checkpoint, checked, checkpoints, load, opened

SECOND = len("2026-01-31T23:59:59")
"""Characters of a time as it is listed; the JSON has it whole."""


def history(run: RunName, db: Database = "", json: AsJson = False) -> None:
    """List the checkpoints of one saved run, oldest first."""
    rows = [one.row() for one in asyncio.run(_told(run, db))]
    if json:
        print(as_json(rows))
        return
    screen, width = Screen(), max(len(_names(row["ran"])) for row in rows)
    screen.line(f"step  turn  {'ran':<{width}}  at (UTC)             next", TITLE)
    for row in rows:
        at = row["at"][:SECOND].replace("T", " ")
        screen.line(f"{row['step']:>4}  {row['turn']:>4}  {_names(row['ran']):<{width}}  {at}  {_names(row['next'])}")
        for one in row["said"]:
            screen.line(f"            {one_line(one['speaker'])}: {one_line(one['words'])}", QUIET)


async def _told(name: str, db: str) -> list[Checkpoint]:
    checked(name)
    async with opened(db, reading=True) as store:
        return await checkpoints(store, await load(store, name))


def _names(names: list[str]) -> str:
    return one_line(", ".join(names)) or "–"
