"""`moot history`: the checkpoints of a saved run, a line each."""

import asyncio

from ..display.plain_text import flatten_line, format_json
from ..display.screen import QUIET_STYLE, TITLE_STYLE, Screen
from ..run.command_options import AsJson, Database, RunName
from ..saved import Checkpoint, check_run_name, list_checkpoints, load_saved_run, open_database

TIME_LENGTH = len("2026-01-31T23:59:59")
"""Characters of a time that the list shows. The JSON has full times."""


def history(run: RunName, db: Database = "", json: AsJson = False) -> None:
    """List the checkpoints of one saved run, oldest first."""
    rows = [checkpoint.build_row() for checkpoint in asyncio.run(_load_checkpoints(run, db))]
    if json:
        print(format_json(rows))
        return
    screen, width = Screen(), max(len(_format_names(row["ran"])) for row in rows)
    screen.show_line(f"step  turn  {'ran':<{width}}  at (UTC)             next", TITLE_STYLE)
    for row in rows:
        time = row["at"][:TIME_LENGTH].replace("T", " ")
        screen.show_line(
            f"{row['step']:>4}  {row['turn']:>4}  {_format_names(row['ran']):<{width}}  {time}"
            f"  {_format_names(row['next'])}"
        )
        for excerpt in row["said"]:
            screen.show_line(
                f"            {flatten_line(excerpt['speaker'])}: {flatten_line(excerpt['words'])}", QUIET_STYLE
            )


async def _load_checkpoints(name: str, db: str) -> list[Checkpoint]:
    check_run_name(name)
    async with open_database(db, read_only=True) as store:
        return await list_checkpoints(store, await load_saved_run(store, name))


def _format_names(names: list[str]) -> str:
    return flatten_line(", ".join(names)) or "–"
