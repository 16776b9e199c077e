"""`moot experiment`: many runs, one answer."""

import asyncio
import time
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer
from rich.table import Column, Table
from typer import Argument, Option

from ...nodes.database import default_database
from ...nodes.models.chat import default_spec
from ...state.refused import Refused
from ..display.plain import as_json
from ..display.screen import LABEL, QUIET, Screen
from ..display.terminal import command
from ..display.wording import say
from ..estimate import Cost
from ..experiment.arms.table import arms
from ..experiment.begin import entered, stored_plan
from ..experiment.check import Forecast, forecast
from ..experiment.course import How, carried_on, is_rehearsed, paid, stop_of
from ..experiment.data import Outcome, data, outcomes
from ..experiment.export import export
from ..experiment.package import packed, unpacked
from ..experiment.plan import Detect, Plan, read_plan
from ..experiment.sealing import read_seal, seal, seal_file, write_seal
from ..experiment.status import Status, status
from ..options import AsJson, Database
from ..report import html
from ..saved import Store, opened
from ..saved.experiments import Stored
from ..tables.prompts import prompts
from ..workers import work_of

PlanFile = Annotated[Path, Argument(metavar="PLAN", help="The plan, in YAML.")]
Named = Annotated[str, Argument(metavar="NAME", help="Name of an experiment in the database.")]
Kept = Annotated[
    str, Argument(metavar="NAME", help="Name of an experiment in the database; or ./FOLDER of its export.")
]
Again = Annotated[str, Option("--again", metavar="failed", help="Also try again the runs that failed.")]
Jobs = Annotated[
    int | None, Option("--jobs", "-j", metavar="N", min=1, max=1000, help="Runs at once in this process; none: 4.")
]
Handed = Annotated[bool, Option("--workers", help="Leave the runs to workers: `moot experiment work`.")]
Prompts = Annotated[bool, Option("--prompts", help="Also what everyone was told, call by call; of recorded runs.")]
JOBS = 4

experiment = typer.Typer(add_completion=False, no_args_is_help=True, rich_markup_mode=None)


@experiment.callback()
def commands() -> None:
    """Many runs by one plan, and what follows from them."""


@experiment.command("check")
def check_plan(plan: PlanFile, db: Database = "", json: AsJson = False) -> None:
    """Read the plan, draw everything, call nobody: conditions, runs, and what all of it would cost."""
    found = asyncio.run(_forecast(read_plan(plan), db))
    if json:
        print(as_json(found.model_dump(mode="json")))
    else:
        _show_forecast(found)


async def _forecast(plan: Plan, db: str) -> Forecast:
    return await forecast(plan, await default_spec(), await _piloted(plan, db))


async def _piloted(plan: Plan, db: str) -> tuple[Detect, str] | None:
    """What the plan's pilot says; none: it has none."""
    if not plan.detect.pilot:
        return None
    from ..experiment.arms.pilot import piloted  # needs the extra `science`

    async with opened(db, create=False) as store:
        stored = await store.experiments.get(plan.detect.pilot)
        return piloted(plan, stored_plan(stored), await outcomes(store, stored))


def _show_forecast(found: Forecast) -> None:
    screen = Screen()
    screen.line(f"{found.name}: {found.protocol}, {found.runs} runs; items: {found.items}, repeats: {found.repeats}")
    screen.line(f"{found.seeds} seeds, one for each item and repeat, shared by all conditions; hash {found.hash}")
    table = Table(Column("condition", overflow="fold"), box=None)
    for head in ("runs", "items", "calls", "at most", "tokens", "at most", "money", "at most"):
        table.add_column(head, justify="right")
    for one in found.cells:
        table.add_row(
            f"{one.cell}, {one.arm}" if one.arm else one.cell,
            str(one.runs),
            str(one.items),
            *_costs(one.expected, one.highest),
        )
    table.add_row("total", str(found.runs), str(found.items), *_costs(found.expected, found.highest))
    screen.console.print(table)
    for line in found.power:
        screen.line(line)


def _costs(expected: Cost, highest: Cost) -> list[str]:
    money = ["–" if one.money is None else f"{one.money:,.4g}" for one in (expected, highest)]
    return [f"{expected.calls:,}", f"{highest.calls:,}", f"{expected.tokens:,}", f"{highest.tokens:,}", *money]


@experiment.command("seal")
def seal_plan(plan: PlanFile) -> None:
    """Write PLAN.seal.json: hashes of plan, items and words, versions and models, before the first call."""
    found, path = asyncio.run(_sealed(read_plan(plan))), seal_file(plan)
    write_seal(path, found)
    Screen().line(f"sealed as {found['plan']} in {path}; run it with this file beside the plan")


async def _sealed(plan: Plan) -> dict[str, Any]:
    return seal(plan, await default_spec())


@experiment.command("run")
def run_plan(
    plan: Annotated[str, Argument(metavar="PLAN", help="The plan, in YAML; or the name of an experiment.")],
    jobs: Jobs = None,
    again: Again = "",
    workers: Handed = False,
    db: Database = "",
    json: AsJson = False,
) -> None:
    """Run an experiment, or go on with it: what is done is kept, what was begun goes on where it stood."""
    if again not in ("", "failed"):
        raise Refused("--again", again, "choose failed, or leave it out")
    if workers and jobs:
        raise Refused("--jobs", jobs, "with --workers nothing is run here; give it to `moot experiment work`")
    how = How(jobs or JOBS, again == "failed", None if json else Screen())
    found = asyncio.run(_run(plan, how, db, workers))
    if json:
        print(as_json(found.model_dump(mode="json")))


async def _run(plan: str, how: How, db: str, workers: bool) -> Status:
    path = Path(plan)
    is_file = path.suffix in (".yaml", ".yml") or path.exists()
    read, sealed = (read_plan(path), read_seal(path)) if is_file else (None, None)
    async with opened(db, create=is_file) as store:
        begun = await entered(store, read, sealed) if read else await store.experiments.get(plan)
        if how.shown and not is_rehearsed(begun):
            how.shown.line(f"{paid(begun)}; `moot experiment check` says what it would cost", QUIET)
        place = db and store.where
        if workers:
            return await _handed_out(store, begun, how, db)
        stored = await carried_on(store, begun, how, db)
        found = await status(store, stored)
    if is_rehearsed(stored):
        Screen(to_stderr=True).line(say("en", "run.no_model"), LABEL)
    if how.shown:
        _show_status(how.shown, found)
        if stored_plan(stored).compared:
            await _show_talk(how.shown, stored, db)
        how.shown.line(command("experiment", "report", stored.name, "-o", f"{stored.name}.html", db=place))
    return found


async def _show_talk(screen: Screen, stored: Stored, db: str) -> None:
    """Show what talking did: the sentence, and the accuracy of each arm as a bar; or what is needed to say it."""
    try:
        from ..experiment.arms.plainly import told_plainly  # needs the extra `science`
    except Refused as lacking:
        screen.line(f"All runs are kept; {lacking.remedy}", LABEL)
        return
    async with opened(db, create=False) as store:
        found = await outcomes(store, stored)
    for line in told_plainly(stored_plan(stored), found):
        screen.line(line)


async def _handed_out(store: Store, stored: Stored, how: How, db: str) -> Status:
    count = await work_of(db).hand_out(store, stored, db or default_database(), how.again)
    if how.shown:
        how.shown.line(f"{count} runs wait for workers: moot experiment work")
        how.shown.line(command("experiment", "status", stored.name, "--watch", db=db and store.where))
    return await status(store, stored)


@experiment.command("work")
def work_off(
    until_done: Annotated[bool, Option("--until-done", help="Leave when no run is left.")] = False,
    jobs: Jobs = None,
    db: Database = "",
) -> None:
    """Be a worker: take runs of any experiment that were left to workers, until told to stop."""
    asyncio.run(_work(work_of(db), until_done, jobs or JOBS, db))


async def _work(queue: ModuleType, until_done: bool, jobs: int, db: str) -> None:
    async with opened(db) as store:
        await queue.work(store, db or default_database(), jobs, until_done, Screen().line)


@experiment.command("status")
def show_status(
    name: Named,
    watch: Annotated[bool, Option("--watch", help="Show it anew every few seconds until all have ended.")] = False,
    db: Database = "",
    json: AsJson = False,
) -> None:
    """How far an experiment has come: by condition, and what failed, stopped or is under way."""
    screen = Screen()
    while True:
        found = asyncio.run(_status(name, db))
        if json:
            print(as_json(found.model_dump(mode="json")), flush=True)
        else:
            _show_status(screen, found)
        if not watch or found.enough or all(one.planned == one.done + one.failed for one in found.cells):
            return
        time.sleep(2)


async def _status(name: str, db: str) -> Status:
    async with opened(db, create=False) as store:
        stored = await store.experiments.get(name)
        found = await status(store, stored)
        return found.model_copy(update={"enough": await _enough(store, stored_plan(stored), found)})


async def _enough(store: Store, plan: Plan, found: Status) -> str:
    """Why no other run is begun, where none is under way; empty where there is no reason, or figures need a package."""
    if not plan.until or any(one.running for one in found.cells):
        return ""
    try:
        stop = stop_of(plan)
    except Refused:
        return ""
    return await stop.reached(store) if stop else ""


def _show_status(screen: Screen, found: Status) -> None:
    table = Table(Column("condition", overflow="fold"), box=None)
    heads = ("planned", "done", "running", "stopped", "failed", "waiting")
    for head in heads:
        table.add_column(head, justify="right")
    for one in found.cells:
        table.add_row(one.cell, *(str(getattr(one, head)) for head in heads))
    screen.console.print(table)
    for remark in found.remarks:
        screen.line(f"  {remark.run}: {remark.state}{f', {remark.what}' if remark.what else ''}")
    caps = found.cap.model_dump(exclude_none=True)
    of = ", ".join(f"{key} {value:,}" for key, value in caps.items())
    money = f", {found.cost:,.4g} spent" if found.cost else ""
    screen.line(f"{found.calls:,} calls, {found.tokens:,} tokens{money}{f'; cap: {of}' if of else ''}")
    if found.enough:
        screen.line(found.enough)


@experiment.command("report")
def write_report(
    name: Kept,
    output: Annotated[Path | None, Option("--output", "-o", metavar="FILE", help="Where to; none: NAME.html.")] = None,
    db: Database = "",
) -> None:
    """Write the report: one page, and beside it a folder with the report of every run."""
    from ..experiment.report import report  # needs the extra `science`

    stored, found, standing = asyncio.run(_found(name, db))
    path = output or Path(f"{stored.name}.html")
    folder = path.with_name(f"{path.stem}-runs")
    told = {one.trial.run: one.document for one in found if one.document is not None}
    page = report(stored_plan(stored), stored, found, standing, {run: f"{folder.name}/{run}.html" for run in told})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for run, document in told.items():
            (folder / f"{run}.html").write_text(html(document), "utf-8")
        path.write_text(page, "utf-8")
    except OSError as fault:
        raise Refused("-o", str(path), f"cannot be written: {fault.strerror}") from None
    Screen().line(f"report: {path}")


@experiment.command("export")
def write_export(
    name: Kept,
    output: Annotated[Path, Option("--output", "-o", metavar="FOLDER", help="An empty folder, or that of its export.")],
    with_prompts: Prompts = False,
    db: Database = "",
) -> None:
    """Write all data of an experiment as CSV, and as Parquet where pyarrow is installed."""
    stored, found, standing = asyncio.run(_found(name, db))
    plan = stored_plan(stored)
    tables = data(plan, found)
    if plan.arms:
        tables["arms"] = arms(plan, found)
    if with_prompts:
        tables["prompts"] = prompts([one.document for one in found if one.document is not None])
    for file in export(output, plan, stored, tables, packed(plan, stored, found, standing)):
        Screen().line(str(output / file))


async def _found(name: str, db: str) -> tuple[Stored, list[Outcome], Status]:
    """An experiment with its runs, from the database, or from the folder of an export, which is named as a path."""
    if Path(name).name != name or name in (".", ".."):
        if db:
            raise Refused("--db", db, "what is exported needs no database; leave it out")
        return unpacked(Path(name))
    async with opened(db, create=False) as store:
        stored = await store.experiments.get(name)
        return stored, await outcomes(store, stored), await status(store, stored)
