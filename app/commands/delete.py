"""`moot delete`: drop a saved run for good."""

import asyncio
import sys
from typing import Annotated

from typer import Option, confirm

from ...state.refused import Refused
from ..display.plain import one_line
from ..display.screen import Screen
from ..options import Database, RunName
from ..saved import Run, checked, forget, opened

Yes = Annotated[bool, Option("--yes", "-y", help="Do not ask.")]


def delete(run: RunName, yes: Yes = False, db: Database = "") -> None:
    """Delete one saved run for good."""
    found = asyncio.run(_found(checked(run), db))
    if not yes:
        if not sys.stdin.isatty():
            raise Refused("--yes", None, f"nobody can be asked here; give it to delete {run}")
        about = f": {one_line(found.topic)}" if found.topic else ""
        confirm(one_line(f"Delete {run}{about}, begun {found.started[:10]}? It cannot be brought back."), abort=True)
    asyncio.run(_deleted(run, db))
    Screen().line(f"{run} is deleted.")


async def _found(name: str, db: str) -> Run:
    async with opened(db, create=False) as store:
        found = await store.runs.get(name)
        if await store.is_held(name):
            raise Refused("run", name, "it is running now; stop it first, with Ctrl-C where it runs")
        return found


async def _deleted(name: str, db: str) -> None:
    async with opened(db, create=False) as store, store.lock(name):
        await forget(store, name)
