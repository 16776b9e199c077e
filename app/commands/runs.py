"""`moot runs`: list the saved runs."""

import re
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

from rich.cells import cell_len, set_cell_size
from typer import Option

from ...models import get_server_name
from ...state import InputError, clip_text
from ...storage import get_default_database, get_time, is_postgres
from ..display import ERROR_STYLE, QUIET_STYLE, TITLE_STYLE, Screen, flatten_line, format_json
from ..protocols.registry import get_protocol
from ..run.command_options import AsJson, Database, NoColor, OptionalText, flatten_options
from ..saved import RUN_STATES, Run, RunIndex, get_run_state, open_run_index

STATES = ["running" if state == "live" else state for state in RUN_STATES]


@flatten_options
async def runs(
    kind: Annotated[OptionalText, Option("--protocol", metavar="NAME", help="Only runs of this protocol.")] = None,
    state: Annotated[
        OptionalText,
        Option(
            "--state",
            metavar="STATE",
            help=f"Only runs in this state: {', '.join(STATES)}. Parked runs wait for a server.",
        ),
    ] = None,
    since: Annotated[
        OptionalText,
        Option("--since", metavar="WHEN", help="Only runs since 2026-01-31, today, yesterday, 12h, 2d, 1w."),
    ] = None,
    today: Annotated[bool, Option("--today", help="Show the spending of today (UTC), deleted runs included.")] = False,
    db: Database = "",
    json: AsJson = False,
    no_color: NoColor = False,
) -> None:
    """List saved runs, newest first."""
    name, since_time = kind and get_protocol(kind).name, parse_since(since) if since else None
    if state not in (None, *STATES):
        raise InputError("--state", state, f"choose one of {', '.join(STATES)}")
    if today:
        from ..saved.database import open_database

        async with open_database(db, create=False) as store:
            spending = dict(zip(("requests", "tokens", "cost"), await store.journal.sum_daily_spending(), strict=True))
        text = ", ".join(f"{key} {value:,}" for key, value in spending.items() if value)
        return print(format_json(spending) if json else f"Today (UTC): {text or 'no request'}.")
    run_rows: list[dict[str, Any]] = []
    unencrypted_names: list[str] = []
    address = db or get_default_database()
    if is_postgres(address) or Path(address).expanduser().exists():
        async with open_run_index(address) as table:
            listed_runs = [
                run
                for run in await table.runs.list_runs()
                if name in (None, run.protocol)
                and (since_time is None or datetime.fromisoformat(run.started) >= since_time)
            ]
            uncounted_runs = [
                run
                for run in listed_runs
                if not (run.is_finished or run.missing_package or await table.runs.has_current_figures(run))
            ]
            counted_runs: dict[str, Run] = {}
            if uncounted_runs:  # the figures of their checkpoints need LangGraph
                from ..saved import load_row, open_database

                async with open_database(address, read_only=True) as store:
                    counted_runs = {run.run: await load_row(store, run) for run in uncounted_runs}
            run_rows = [await _build_run_row(table, counted_runs.get(run.run, run)) for run in listed_runs]
            unencrypted_names = await table.runs.list_unencrypted_runs() if run_rows else []
    run_rows = [run_row for run_row in run_rows if state in (None, run_row["state"])]
    if unencrypted_names:
        print(
            "moot: these runs were saved before MOOT_DB_KEY was set and are not encrypted:",
            ", ".join(unencrypted_names),
            file=sys.stderr,
        )
    if json:
        return print(format_json(run_rows))
    screen = Screen(no_color=no_color)
    if not run_rows:
        screen.show_line(
            "No saved run matches." if kind or state or since else "No runs saved yet. Start one: moot debate TOPIC"
        )
    elif screen.is_terminal:
        _show_run_rows(screen, run_rows)
    else:
        for run_row in run_rows:
            plain_row = run_row | {"topic": clip_text(flatten_line(run_row["topic"]), 100)}
            cells = [flatten_line(str("" if value is None else value)) for value in plain_row.values()]
            print("\t".join(cells).rstrip("\t"))


async def _build_run_row(table: RunIndex, run: Run) -> dict[str, Any]:
    is_held = get_run_state(run, False) != "finished" and await table.is_held(run.run)
    state = STATES[RUN_STATES.index(get_run_state(run, is_held))]
    return {
        "run": run.run,
        "protocol": run.protocol,
        "topic": run.topic,
        "state": state,
        "turns": run.turns,
        "ending": run.ending or None,
        "tokens": run.tokens,
        "startedAt": run.started,
        "fault": run.fault or None,
        "waitingFor": get_server_name(run.waiting_for) if state == "parked" else None,
        "retryAt": run.retry_at if state == "parked" else None,
    }


def parse_since(value: str) -> datetime:
    """Parse a local date or time, `today`, `yesterday`, or a number of hours, days or weeks ago."""
    text, local_time = value.strip().casefold(), get_time().astimezone()
    midnight = local_time.replace(hour=0, minute=0, second=0, microsecond=0)
    if text in ("today", "yesterday"):
        return midnight - timedelta(days=text == "yesterday")
    if match := re.compile(r"(\d{1,4})\s*([hdw])").fullmatch(text):
        return local_time - timedelta(hours=int(match[1]) * {"h": 1, "d": 24, "w": 24 * 7}[match[2]])
    try:
        return datetime.fromisoformat(text).astimezone()
    except ValueError:
        raise InputError("--since", value, "give a date such as 2026-01-31, today, yesterday, 12h, 2d or 1w") from None


def _show_run_rows(screen: Screen, run_rows: list[dict[str, Any]]) -> None:
    """Print two lines per run, cut to the terminal's width: name, time and state, then topic and outcome."""
    width = screen.console.width
    name_width = min(max(len(run_row["run"]) for run_row in run_rows), width - len("  2026-01-31 23:59  finished"))
    for run_row in run_rows:
        start = datetime.fromisoformat(run_row["startedAt"]).astimezone().strftime("%Y-%m-%d %H:%M")
        state = f"waiting for {run_row['waitingFor']}" if run_row["waitingFor"] else run_row["state"]
        screen.show_line(f"{run_row['run']:<{name_width}}  {start}  {state}", TITLE_STYLE)
        turn_text = f"{run_row['turns']} turn{'s' if run_row['turns'] != 1 else ''}"
        details = " · ".join(filter(None, [turn_text, (run_row["ending"] or "").replace("_", " ")]))
        free_width = width - len(f"  {details} · ")
        topic = flatten_line(run_row["topic"])
        shown_topic = (
            topic if cell_len(topic) <= free_width else f"{set_cell_size(topic, max(free_width - 1, 0)).rstrip()}…"
        )
        screen.show_line("  " + " · ".join(filter(None, [shown_topic if free_width > 8 else "", details])), QUIET_STYLE)
        if run_row["fault"]:
            screen.show_line(f"  {run_row['fault']}", ERROR_STYLE)
