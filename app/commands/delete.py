"""`moot delete`: delete a saved run permanently."""

import sys
from typing import Annotated

from typer import Option, confirm

from ...state import InputError
from ..display import Screen, flatten_line
from ..run.command_options import Database, RunName, flatten_options
from ..saved import check_run_name, delete_run, open_database


@flatten_options
async def delete(
    run: RunName, yes: Annotated[bool, Option("--yes", "-y", help="Delete without asking.")] = False, db: Database = ""
) -> None:
    """Delete a saved run permanently."""
    async with open_database(db, create=False) as store:
        saved_run = await store.runs.get_run(check_run_name(run))
        if await store.is_held(run):
            raise InputError("run", run, "it is running now; stop it first, with Ctrl-C where it runs")
    if not yes:
        if not sys.stdin.isatty():
            raise InputError("--yes", None, f"must be given without a terminal: moot delete {run} --yes")
        topic = f": {flatten_line(saved_run.topic)}" if saved_run.topic else ""
        confirm(
            flatten_line(f"Delete {run}{topic}, started {saved_run.started[:10]}? You cannot undo this."), abort=True
        )
    async with open_database(db, create=False) as store, store.lock(run):
        await delete_run(store, run)
    Screen().show_line(f"{run} is deleted.")
