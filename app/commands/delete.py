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
        try:
            saved_run = await store.runs.get_run(check_run_name(run))
            topic = f": {flatten_line(saved_run.topic)}" if saved_run.topic else ""
            description = f"{topic}, started {saved_run.started[:10]}"
        except InputError as error:
            if error.key == "MOOT_DB_KEY" or not await store.runs.has_run(run):
                raise
            description = f": {error.remedy}"
        if await store.is_held(run):
            raise InputError("run", run, "the run is in progress; stop it first, with Ctrl-C in its terminal")
    if not yes:
        if not sys.stdin.isatty():
            raise InputError(
                "--yes", None, f"must be given if there is no terminal to ask you: moot delete {run} --yes"
            )
        confirm(flatten_line(f"Delete {run}{description}? You cannot undo this."), abort=True)
    async with open_database(db, create=False) as store, store.lock(run):
        await delete_run(store, run)
    Screen().show_line(f"{run} is deleted.")
