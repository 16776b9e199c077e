"""`moot checkpoints`: list the checkpoints of a saved run, one per line."""

from ..display import QUIET_STYLE, TITLE_STYLE, Screen, flatten_line, format_json
from ..run.command_options import AsJson, Database, RunName, flatten_options
from ..saved import check_run_name, list_checkpoints, load_saved_run, open_database


@flatten_options
async def checkpoints(run: RunName, db: Database = "", json: AsJson = False) -> None:
    """List the checkpoints of a saved run, oldest first."""
    check_run_name(run)
    async with open_database(db, read_only=True) as store:
        rows = [
            checkpoint.build_row() for checkpoint in await list_checkpoints(store, await load_saved_run(store, run))
        ]
    if json:
        return print(format_json(rows))
    screen, width = Screen(), max(len(_format_names(row["ran"])) for row in rows)
    screen.show_line(f"step  turn  {'ran':<{width}}  at (UTC)             next", TITLE_STYLE)
    for row in rows:
        time = row["at"][: len("2026-01-31T23:59:59")].replace("T", " ")
        screen.show_line(
            f"{row['step']:>4}  {row['turn']:>4}  {_format_names(row['ran']):<{width}}  {time}"
            f"  {_format_names(row['next'])}"
        )
        for excerpt in row["said"]:
            screen.show_line(
                f"            {flatten_line(excerpt['speaker'])}: {flatten_line(excerpt['words'])}", QUIET_STYLE
            )


def _format_names(names: list[str]) -> str:
    return flatten_line(", ".join(names)) or "–"
