"""`moot experiment`: many runs by one plan."""

import asyncio
import time
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import typer
from rich.table import Column, Table
from typer import Argument, Option

from ...models.chat import find_default_spec
from ...state.errors import InputError
from ...storage.database import get_default_database
from ..display.plain_text import format_json
from ..display.screen import LABEL_STYLE, QUIET_STYLE, Screen
from ..display.terminal import format_command
from ..display.wording import translate_display_phrase
from ..experiment.archive import build_archive, read_archive
from ..experiment.arms.table import build_arm_table
from ..experiment.data import ExperimentRun, collect_tables, load_experiment_runs
from ..experiment.entry import enter_experiment, restore_plan
from ..experiment.export import export_experiment
from ..experiment.forecast import Forecast, forecast_experiment
from ..experiment.plan import DetectionSettings, Plan, read_plan
from ..experiment.run_experiment import (
    ExecutionOptions,
    describe_spending,
    is_rehearsal,
    make_early_stop,
    run_experiment,
)
from ..experiment.seal import get_seal_path, make_seal, read_seal, write_seal
from ..experiment.status import ExperimentStatus, load_status
from ..export.prompts import list_prompts
from ..report import render_html
from ..run.command_options import AsJson, Database
from ..run.estimate import Cost
from ..saved import Store, open_database
from ..saved.experiments import SavedExperiment
from ..workers import load_workers

PlanArgument = Annotated[Path, Argument(metavar="PLAN", help="The plan, in YAML.")]
StoredName = Annotated[str, Argument(metavar="NAME", help="Name of an experiment in the database.")]
StoredOrExported = Annotated[
    str, Argument(metavar="NAME", help="Name of an experiment in the database; or ./FOLDER of its export.")
]
RetryOption = Annotated[str, Option("--again", metavar="failed", help="Also try again the runs that failed.")]
JobsOption = Annotated[
    int | None, Option("--jobs", "-j", metavar="N", min=1, max=1000, help="Runs at once in this process; none: 4.")
]
WorkersOption = Annotated[bool, Option("--workers", help="Leave the runs to workers: `moot experiment work`.")]
PromptsOption = Annotated[
    bool, Option("--prompts", help="Also what everyone was told, call by call; of recorded runs.")
]
DEFAULT_JOBS = 4

experiment = typer.Typer(add_completion=False, no_args_is_help=True, rich_markup_mode=None)


@experiment.callback()
def commands() -> None:
    """Many runs by one plan, and what follows from them."""


@experiment.command("check")
def check_plan(plan: PlanArgument, db: Database = "", json: AsJson = False) -> None:
    """Read the plan, draw everything, call nobody: conditions, runs, and what all of it would cost."""
    forecast = asyncio.run(_forecast_plan(read_plan(plan), db))
    if json:
        print(format_json(forecast.model_dump(mode="json")))
    else:
        _show_forecast(forecast)


async def _forecast_plan(plan: Plan, db: str) -> Forecast:
    return await forecast_experiment(plan, await find_default_spec(), await _load_pilot(plan, db))


async def _load_pilot(plan: Plan, db: str) -> tuple[DetectionSettings, str] | None:
    """Return the results of the plan's pilot, or `None` without one."""
    if not plan.detect.pilot:
        return None
    from ..experiment.arms.pilot import estimate_from_pilot  # needs the extra `science`

    async with open_database(db, create=False) as store:
        stored = await store.experiments.get_experiment(plan.detect.pilot)
        return estimate_from_pilot(plan, restore_plan(stored), await load_experiment_runs(store, stored))


def _show_forecast(preview: Forecast) -> None:
    screen = Screen()
    screen.show_line(
        f"{preview.name}: {preview.protocol}, {preview.runs} runs; items: {preview.items}, repeats: {preview.repeats}"
    )
    screen.show_line(
        f"{preview.seeds} seeds, one for each item and repeat, shared by all conditions; hash {preview.hash}"
    )
    table = Table(Column("condition", overflow="fold"), box=None)
    for head in ("runs", "items", "calls", "at most", "tokens", "at most", "money", "at most"):
        table.add_column(head, justify="right")
    for condition in preview.cells:
        table.add_row(
            f"{condition.cell}, {condition.arm}" if condition.arm else condition.cell,
            str(condition.runs),
            str(condition.items),
            *_format_costs(condition.expected, condition.highest),
        )
    table.add_row("total", str(preview.runs), str(preview.items), *_format_costs(preview.expected, preview.highest))
    screen.console.print(table)
    for line in preview.power:
        screen.show_line(line)


def _format_costs(expected: Cost, highest: Cost) -> list[str]:
    money = ["–" if cost.money is None else f"{cost.money:,.4g}" for cost in (expected, highest)]
    return [f"{expected.calls:,}", f"{highest.calls:,}", f"{expected.tokens:,}", f"{highest.tokens:,}", *money]


@experiment.command("seal")
def seal_plan(plan: PlanArgument) -> None:
    """Write PLAN.seal.json: hashes of plan, items and words, versions and models, before the first call."""
    seals, path = asyncio.run(_make_seal(read_plan(plan))), get_seal_path(plan)
    write_seal(path, seals)
    Screen().show_line(f"sealed as {seals['plan']} in {path}; run it with this file beside the plan")


async def _make_seal(plan: Plan) -> dict[str, Any]:
    return make_seal(plan, await find_default_spec())


@experiment.command("run")
def run_plan(
    plan: Annotated[str, Argument(metavar="PLAN", help="The plan, in YAML; or the name of an experiment.")],
    jobs: JobsOption = None,
    again: RetryOption = "",
    workers: WorkersOption = False,
    db: Database = "",
    json: AsJson = False,
) -> None:
    """Run an experiment, or go on with it: what is done is kept, what was begun goes on where it stood."""
    if again not in ("", "failed"):
        raise InputError("--again", again, "choose failed, or leave it out")
    if workers and jobs:
        raise InputError("--jobs", jobs, "with --workers nothing is run here; give it to `moot experiment work`")
    settings = ExecutionOptions(jobs or DEFAULT_JOBS, again == "failed", None if json else Screen())
    progress = asyncio.run(_run_experiment(plan, settings, db, workers))
    if json:
        print(format_json(progress.model_dump(mode="json")))


async def _run_experiment(plan: str, settings: ExecutionOptions, db: str, workers: bool) -> ExperimentStatus:
    path = Path(plan)
    is_file = path.suffix in (".yaml", ".yml") or path.exists()
    plan_file, seals = (read_plan(path), read_seal(path)) if is_file else (None, None)
    async with open_database(db, create=is_file) as store:
        experiment_record = (
            await enter_experiment(store, plan_file, seals)
            if plan_file
            else await store.experiments.get_experiment(plan)
        )
        if settings.screen and not is_rehearsal(experiment_record):
            settings.screen.show_line(
                f"{describe_spending(experiment_record)}; `moot experiment check` says what it would cost", QUIET_STYLE
            )
        address = db and store.address
        if workers:
            return await _hand_out_runs(store, experiment_record, settings, db)
        stored = await run_experiment(store, experiment_record, settings, db)
        progress = await load_status(store, stored)
    if is_rehearsal(stored):
        Screen(to_stderr=True).show_line(translate_display_phrase("en", "run.no_model"), LABEL_STYLE)
    if settings.screen:
        _show_status(settings.screen, progress)
        if restore_plan(stored).has_comparisons:
            await _show_comparison(settings.screen, stored, db)
        settings.screen.show_line(
            format_command("experiment", "report", stored.name, "-o", f"{stored.name}.html", db=address)
        )
    return progress


async def _show_comparison(screen: Screen, stored: SavedExperiment, db: str) -> None:
    """Show the effect of deliberation: one sentence, and each arm's accuracy as a bar.

    If the package for it is missing, show the remedy.
    """
    try:
        from ..experiment.arms.plain_text import format_plain_lines  # needs the extra `science`
    except InputError as error:
        screen.show_line(f"All runs are kept; {error.remedy}", LABEL_STYLE)
        return
    async with open_database(db, create=False) as store:
        runs = await load_experiment_runs(store, stored)
    for line in format_plain_lines(restore_plan(stored), runs):
        screen.show_line(line)


async def _hand_out_runs(
    store: Store, stored: SavedExperiment, settings: ExecutionOptions, db: str
) -> ExperimentStatus:
    count = await load_workers(db).enqueue_experiment(
        store, stored, db or get_default_database(), settings.retry_failed
    )
    if settings.screen:
        settings.screen.show_line(f"{count} runs wait for workers: moot experiment work")
        settings.screen.show_line(
            format_command("experiment", "status", stored.name, "--watch", db=db and store.address)
        )
    return await load_status(store, stored)


@experiment.command("work")
def work_off(
    until_done: Annotated[bool, Option("--until-done", help="Leave when no run is left.")] = False,
    jobs: JobsOption = None,
    db: Database = "",
) -> None:
    """Be a worker: take runs of any experiment that were left to workers, until told to stop."""
    asyncio.run(_work_queue(load_workers(db), until_done, jobs or DEFAULT_JOBS, db))


async def _work_queue(queue: ModuleType, until_done: bool, jobs: int, db: str) -> None:
    async with open_database(db) as store:
        await queue.run_worker(store, db or get_default_database(), jobs, until_done, Screen().show_line)


@experiment.command("status")
def show_status(
    name: StoredName,
    watch: Annotated[bool, Option("--watch", help="Show it anew every few seconds until all have ended.")] = False,
    db: Database = "",
    json: AsJson = False,
) -> None:
    """How far an experiment has come: by condition, and what failed, stopped or is under way."""
    screen = Screen()
    while True:
        progress = asyncio.run(_load_status(name, db))
        if json:
            print(format_json(progress.model_dump(mode="json")), flush=True)
        else:
            _show_status(screen, progress)
        if (
            not watch
            or progress.enough
            or all(condition.planned == condition.done + condition.failed for condition in progress.cells)
        ):
            return
        time.sleep(2)


async def _load_status(name: str, db: str) -> ExperimentStatus:
    async with open_database(db, create=False) as store:
        stored = await store.experiments.get_experiment(name)
        progress = await load_status(store, stored)
        return progress.model_copy(update={"enough": await _find_stop_reason(store, restore_plan(stored), progress)})


async def _find_stop_reason(store: Store, plan: Plan, progress: ExperimentStatus) -> str:
    """Return the reason to start no more runs, or an empty text.

    Empty while a run is under way, without a stopping rule, or without the package it needs.
    """
    if not plan.until or any(condition.running for condition in progress.cells):
        return ""
    try:
        stop = make_early_stop(plan)
    except InputError:
        return ""
    return await stop.explain_stop(store) if stop else ""


def _show_status(screen: Screen, progress: ExperimentStatus) -> None:
    table = Table(Column("condition", overflow="fold"), box=None)
    heads = ("planned", "done", "running", "stopped", "failed", "waiting")
    for head in heads:
        table.add_column(head, justify="right")
    for condition in progress.cells:
        table.add_row(condition.cell, *(str(getattr(condition, head)) for head in heads))
    screen.console.print(table)
    for remark in progress.remarks:
        screen.show_line(f"  {remark.run}: {remark.state}{f', {remark.what}' if remark.what else ''}")
    caps = progress.cap.model_dump(exclude_none=True)
    cap_text = ", ".join(f"{key} {value:,}" for key, value in caps.items())
    money = f", {progress.cost:,.4g} spent" if progress.cost else ""
    screen.show_line(
        f"{progress.calls:,} calls, {progress.tokens:,} tokens{money}{f'; cap: {cap_text}' if cap_text else ''}"
    )
    if progress.enough:
        screen.show_line(progress.enough)


@experiment.command("report")
def write_report(
    name: StoredOrExported,
    output: Annotated[Path | None, Option("--output", "-o", metavar="FILE", help="Where to; none: NAME.html.")] = None,
    db: Database = "",
) -> None:
    """Write the report: one page, and beside it a folder with the report of every run."""
    from ..experiment.report import render_report  # needs the extra `science`

    stored, runs, progress = asyncio.run(_load_experiment(name, db))
    path = output or Path(f"{stored.name}.html")
    folder = path.with_name(f"{path.stem}-runs")
    documents = {run.planned.run: run.document for run in runs if run.document is not None}
    page = render_report(
        restore_plan(stored), stored, runs, progress, {run: f"{folder.name}/{run}.html" for run in documents}
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for run, document in documents.items():
            (folder / f"{run}.html").write_text(render_html(document), "utf-8")
        path.write_text(page, "utf-8")
    except OSError as error:
        raise InputError("-o", str(path), f"cannot be written: {error.strerror}") from None
    Screen().show_line(f"report: {path}")


@experiment.command("export")
def write_export(
    name: StoredOrExported,
    output: Annotated[Path, Option("--output", "-o", metavar="FOLDER", help="An empty folder, or that of its export.")],
    with_prompts: PromptsOption = False,
    db: Database = "",
) -> None:
    """Write all data of an experiment as CSV, and as Parquet where pyarrow is installed."""
    stored, runs, progress = asyncio.run(_load_experiment(name, db))
    plan = restore_plan(stored)
    tables = collect_tables(plan, runs)
    if plan.arms:
        tables["arms"] = build_arm_table(plan, runs)
    if with_prompts:
        tables["prompts"] = list_prompts([run.document for run in runs if run.document is not None])
    for file in export_experiment(output, plan, stored, tables, build_archive(plan, stored, runs, progress)):
        Screen().show_line(str(output / file))


async def _load_experiment(name: str, db: str) -> tuple[SavedExperiment, list[ExperimentRun], ExperimentStatus]:
    """Load an experiment with its runs, from the database or from an exported folder named by its path."""
    if Path(name).name != name or name in (".", ".."):
        if db:
            raise InputError("--db", db, "what is exported needs no database; leave it out")
        return read_archive(Path(name))
    async with open_database(db, create=False) as store:
        stored = await store.experiments.get_experiment(name)
        return stored, await load_experiment_runs(store, stored), await load_status(store, stored)
