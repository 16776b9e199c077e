"""`moot experiment`: execute many runs from one plan."""

import asyncio
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.table import Column, Table
from typer import Argument, Option

from ...models import fetch_default_spec
from ...state import InputError
from ...storage import get_default_database
from ..display import LABEL_STYLE, QUIET_STYLE, Screen, format_command, format_json, translate_display_phrase
from ..experiment import (
    ExecutionOptions,
    ExperimentArchive,
    ExperimentStatus,
    close_experiment,
    describe_spending,
    enter_experiment,
    export_experiment,
    forecast_experiment,
    format_verdict,
    get_seal_path,
    is_rehearsal,
    load_archive,
    load_experiment_runs,
    load_status,
    make_early_stop,
    make_seal,
    parse_plan,
    read_plan,
    read_seal,
    read_verified_archive,
    run_experiment,
    verify_folder,
    write_seal,
)
from ..report import render_html
from ..run import STOP_ERRORS, AsJson, Cost, Database, RunInterruptedError, explain_failure, flatten_options, write_text
from ..saved import compute_digest, keep_connected, open_database
from ..workers import load_workers

PlanArgument = Annotated[Path, Argument(metavar="PLAN", help="Plan in YAML.")]
StoredOrExported = Annotated[str, Argument(metavar="NAME", help="Experiment, or ./FOLDER of its export.")]
JobsOption = Annotated[
    int | None, Option("--jobs", "-j", metavar="N", min=1, max=1000, help="Parallel runs in this process [default: 4].")
]
DEFAULT_JOBS = 4

experiment = typer.Typer(add_completion=False, no_args_is_help=True, rich_markup_mode=None)


@experiment.callback()
def commands() -> None:
    """Run an experiment of many runs, and report the results."""


@experiment.command("check")
@flatten_options
async def check_plan(plan: PlanArgument, db: Database = "", json: AsJson = False) -> None:
    """Show the conditions, runs and cost of a plan, without a call."""
    checked_plan, pilot_results = read_plan(plan), None
    spec = await fetch_default_spec()
    if checked_plan.detect.pilot:
        from ..experiment.arms.accuracy import estimate_from_pilot  # needs the extra `science`

        async with open_database(db, create=False) as store:
            pilot = await store.experiments.get_experiment(checked_plan.detect.pilot)
            pilot_results = estimate_from_pilot(
                checked_plan, parse_plan(pilot.plan), await load_experiment_runs(store, pilot)
            )
    forecast = await forecast_experiment(checked_plan, spec, pilot_results)
    if json:
        return print(format_json(forecast.model_dump(mode="json")))
    screen = Screen()
    screen.show_line(
        f"{forecast.name}: {forecast.protocol}, {forecast.runs} runs; items: {forecast.items}, repeats: "
        f"{forecast.repeats}"
    )
    screen.show_line(
        f"{forecast.seeds} seeds: one for each item and repeat, the same in all conditions. Hash of the plan: "
        f"{forecast.hash}"
    )
    table = _make_condition_table("runs", "items", "calls", "tokens", "money")
    for condition in forecast.conditions:
        table.add_row(
            f"{condition.condition}, {condition.arm}" if condition.arm else condition.condition,
            str(condition.runs),
            str(condition.items),
            *_format_costs(condition.expected, condition.high),
        )
    table.add_row("total", str(forecast.runs), str(forecast.items), *_format_costs(forecast.expected, forecast.high))
    table.add_row("at most", "", "", *_format_costs(forecast.highest))
    screen.console.print(table)
    screen.show_line(
        "Ranges: the expected value, and the value if one answer in ten is repeated. At most: every answer is repeated."
    )
    for line in forecast.power:
        screen.show_line(line)


def _make_condition_table(*headings: str) -> Table:
    columns = [Column(heading, justify="right", no_wrap=True) for heading in headings]
    return Table(Column("condition", overflow="fold"), *columns, box=None)


def _format_costs(*costs: Cost) -> list[str]:
    """Return calls, tokens and money as texts, of one cost or of the two ends of a range."""
    calls, tokens = (f"{cost.calls:,}" for cost in costs), (f"{cost.tokens:,}" for cost in costs)
    money = ("–" if cost.money is None else f"{cost.money:,.4g}" for cost in costs)
    return ["–".join(calls), "–".join(tokens), "–".join(dict.fromkeys(money))]


@experiment.command("seal")
@flatten_options
async def seal_plan(plan: PlanArgument) -> None:
    """Write PLAN.seal.json, which later shows any change of the plan."""
    seal, path = make_seal(read_plan(plan), await fetch_default_spec()), get_seal_path(plan)
    write_seal(path, seal)
    Screen().show_line(f"Sealed as {seal['plan']} in {path}. Keep this file next to the plan.")
    Screen().show_line(f"Publish this seal hash before the first call: {compute_digest(seal)}")


@experiment.command("run")
@flatten_options
async def run_plan(
    plan: Annotated[str, Argument(metavar="PLAN", help="Plan in YAML, or name of an experiment.")],
    jobs: JobsOption = None,
    retry_failed: Annotated[bool, Option("--retry-failed", help="Also retry failed runs.")] = False,
    workers: Annotated[bool, Option("--workers", help="Leave the runs to workers (`moot experiment work`).")] = False,
    db: Database = "",
    json: AsJson = False,
) -> None:
    """Run an experiment, or continue it where it stopped."""
    screen, path = None if json else Screen(), Path(plan)
    is_file = path.suffix in (".yaml", ".yml") or path.exists()
    try:
        if workers and jobs:
            raise InputError("--jobs", jobs, "has no effect with --workers; give it to `moot experiment work`")
        execution_options = ExecutionOptions(jobs or DEFAULT_JOBS, retry_failed, screen)
        plan_and_seal = (read_plan(path), read_seal(path)) if is_file else ()
        async with open_database(db, create=is_file) as store:
            if plan_and_seal:
                saved_experiment = await enter_experiment(store, *plan_and_seal)
            else:
                saved_experiment = await store.experiments.get_experiment(plan)
            name, address = saved_experiment.name, db and store.address
            if screen and not is_rehearsal(saved_experiment):
                screen.show_line(
                    f"{describe_spending(saved_experiment)}; run `moot experiment check` for the cost",
                    QUIET_STYLE,
                )
            if workers:
                run_count = await load_workers(db).enqueue_experiment(
                    store, saved_experiment, db or get_default_database(), execution_options.retry_failed
                )
                if screen:
                    screen.show_line(f"{run_count} runs wait for workers: moot experiment work")
                    screen.show_line(format_command("experiment", "status", name, "--watch", db=address))
            else:
                saved_experiment = await run_experiment(store, saved_experiment, execution_options, db)
            status = await load_status(store, saved_experiment)
        if not workers:
            if is_rehearsal(saved_experiment):
                Screen(to_stderr=True).show_line(translate_display_phrase("en", "run.no_model"), LABEL_STYLE)
            if screen:
                _show_status(screen, status)
                try:  # one sentence, and each arm's accuracy as a bar
                    from ..experiment.report import format_plain_lines  # needs the extra `science`
                except InputError as error:
                    screen.show_line(f"All runs are saved, but there is no report: {error.remedy}", LABEL_STYLE)
                else:
                    async with open_database(db, create=False) as store:
                        runs = await load_experiment_runs(store, saved_experiment)
                    for line in format_plain_lines(parse_plan(saved_experiment.plan), saved_experiment, runs):
                        screen.show_line(line)
                screen.show_line(format_command("experiment", "report", name, "-o", f"{name}.html", db=address))
    except (*STOP_ERRORS, RunInterruptedError, OSError) as error:
        if json:
            document = {"error": explain_failure(error).line}
            with suppress(*STOP_ERRORS, OSError):  # without an experiment, the error is all there is
                async with open_database(db, create=False) as store:
                    name = read_plan(path).name if is_file else plan
                    status = await load_status(store, await store.experiments.get_experiment(name))
                    document |= status.model_dump(mode="json")
            print(format_json(document))
        raise
    if json:
        print(format_json(status.model_dump(mode="json")))


@experiment.command("close")
@flatten_options
async def close_plan(
    name: Annotated[str, Argument(metavar="NAME", help="Name of an experiment.")],
    reason: Annotated[str, Option("--reason", metavar="TEXT", help="Reason, for the report.")] = "",
    db: Database = "",
) -> None:
    """End an experiment; its unfinished runs count as failed."""
    async with open_database(db, create=False) as store:
        saved_experiment = await store.experiments.get_experiment(name)
        saved_experiment = await close_experiment(store, saved_experiment, reason or "it was closed", fails=True)
        head_hash = (await store.experiments.list_ledger(name))[-1].hash
    Screen().show_line(f"{name} is closed: no run starts. Publish this head hash: {head_hash}")


@experiment.command("work")
@flatten_options
async def start_worker(
    until_done: Annotated[bool, Option("--exit-when-done", help="Exit when no run is left.")] = False,
    jobs: JobsOption = None,
    db: Database = "",
) -> None:
    """Work on queued runs of any experiment until you stop it."""
    workers, address, show_line = load_workers(db), db or get_default_database(), Screen().show_line

    async def run_connected_worker() -> None:
        async with open_database(address) as store:
            await workers.run_worker(store, address, jobs or DEFAULT_JOBS, until_done, show_line)

    await keep_connected(address, run_connected_worker, show_line)


@experiment.command("status")
@flatten_options
async def show_status(
    name: Annotated[str, Argument(metavar="NAME", help="Name of an experiment.")],
    watch: Annotated[bool, Option("--watch", help="Refresh every few seconds until all runs end.")] = False,
    db: Database = "",
    json: AsJson = False,
) -> None:
    """Show the progress of an experiment, by condition."""
    screen = Screen()
    while True:
        async with open_database(db, create=False) as store:
            saved_experiment = await store.experiments.get_experiment(name)
            status = await load_status(store, saved_experiment)
            plan, early_stop = parse_plan(saved_experiment.plan), None
            if plan.until and not any(condition.running for condition in status.conditions):
                with suppress(InputError):  # the package of the figures is missing
                    early_stop = make_early_stop(plan)
            if early_stop:
                status = status.model_copy(update={"enough": await early_stop(store)})
        if json:
            print(format_json(status.model_dump(mode="json")), flush=True)
        else:
            _show_status(screen, status)
        if (
            not watch
            or status.enough
            or all(condition.planned == condition.done + condition.failed for condition in status.conditions)
        ):
            return
        await asyncio.sleep(2)


def _show_status(screen: Screen, status: ExperimentStatus) -> None:
    headings = ("planned", "done", "running", "stopped", "failed", "waiting")
    table = _make_condition_table(*headings)
    for condition in status.conditions:
        table.add_row(condition.condition, *(str(getattr(condition, heading)) for heading in headings))
    screen.console.print(table)
    for remark in status.remarks:
        screen.show_line(f"  {remark.run}: {remark.state}{f', {remark.what}' if remark.what else ''}")
    cap_text = ", ".join(f"{key} {value:,}" for key, value in status.cap.model_dump(exclude_none=True).items())
    money, cap = f", {status.cost:,.4g} spent" if status.cost else "", f"; cap: {cap_text}" if cap_text else ""
    screen.show_line(f"{status.calls:,} call{'s' * (status.calls != 1)}, {status.tokens:,} tokens{money}{cap}")
    if status.enough:
        screen.show_line(status.enough)


@experiment.command("report")
def write_report(
    name: StoredOrExported,
    output: Annotated[
        Path | None, Option("--output", "-o", metavar="FILE", help="Output file, .html or .md [default: NAME.html].")
    ] = None,
    db: Database = "",
) -> None:
    """Write the report as HTML or Markdown, with a folder of run reports."""
    from ..experiment.report import render_report  # needs the extra `science`

    archive = _load_experiment(name, db)
    saved_experiment, runs = archive.experiment, archive.runs
    path = output or Path(f"{saved_experiment.name}.html")
    folder = path.with_name(f"{path.stem}-runs")
    documents = {run.planned.run: run.document for run in runs if run.document is not None}
    write_text(
        path,
        render_report(
            archive.plan,
            saved_experiment,
            runs,
            archive.status,
            {run: f"{folder.name}/{run}.html" for run in documents},
            "report.md" if path.suffix == ".md" else "report.html",
        ),
        makes_folder=True,
        endings=(".html", ".htm", ".md"),
    )
    for run, document in documents.items():
        write_text(folder / f"{run}.html", render_html(document), makes_folder=True)
    Screen().show_line(f"report: {path}")


@experiment.command("export")
def write_export(
    name: StoredOrExported,
    output: Annotated[
        Path, Option("--output", "-o", metavar="FOLDER", help="Output folder: empty, or of an earlier export.")
    ],
    with_prompts: Annotated[bool, Option("--prompts", help="Also export all prompts of recorded runs.")] = False,
    db: Database = "",
) -> None:
    """Write the data of an experiment as CSV; with pyarrow, Parquet too."""
    archive = _load_experiment(name, db)
    for file in export_experiment(output, archive, with_prompts=with_prompts):
        Screen().show_line(str(output / file))
    Screen().show_line(f"publish this head hash: {archive.ledger[-1].hash}" if archive.ledger else "")


@experiment.command("verify")
def verify_export(
    folder: Annotated[Path, Argument(metavar="FOLDER", help="Folder of an export.")],
    seal_hash: Annotated[str, Option("--seal-hash", metavar="HASH", help="Published hash of the seal.")] = "",
    head_hash: Annotated[
        str, Option("--head-hash", metavar="HASH", help="Published hash of the ledger's last line.")
    ] = "",
) -> None:
    """Check that an export is complete and unchanged."""
    checks = verify_folder(folder, seal_hash, head_hash)
    for check in checks:
        rest = f" (and {len(check.faults) - 1} more)" if len(check.faults) > 1 else ""
        text = f"changed: {check.faults[0]}{rest}" if check.faults else check.detail
        Screen().show_line(f"{check.name}: {text}")
    Screen().show_line(format_verdict(checks, seal_hash, head_hash))
    if any(check.faults for check in checks):
        raise typer.Exit(1)


def _load_experiment(name: str, db: str) -> ExperimentArchive:
    """Return an experiment with its runs, from the database or from an exported folder.

    `name`: a name with a path, such as `./FOLDER`, means a folder.
    """
    if Path(name).name != name or name in (".", ".."):
        if db:
            raise InputError("--db", db, "an exported folder needs no database; leave out --db")
        return read_verified_archive(Path(name))

    async def load() -> ExperimentArchive:
        async with open_database(db, create=False) as store:
            return await load_archive(store, await store.experiments.get_experiment(name))

    return asyncio.run(load())


@experiment.command("selftest")
def check_planted_figures(
    worlds: Annotated[
        str,
        Option(
            "--worlds", metavar="NAMES", help="Names of tests, separated by commas [default: all].", show_default=False
        ),
    ] = "",
    items: Annotated[int, Option("--items", metavar="N", min=2, max=10_000, help="Questions in each test.")] = 60,
    seed: Annotated[int, Option("--seed", metavar="N", min=0, max=2**31 - 1, help="Seed of every draw.")] = 1,
) -> None:
    """Check offline, on made-up answers, that reports are right."""
    from ..experiment.selftest import COLUMN_WIDTHS, format_row, parse_worlds, run_selftest  # needs the extra `science`

    names, show_line = parse_worlds(worlds), Screen().show_line

    async def run_worlds() -> bool:
        is_right = True
        with TemporaryDirectory() as folder:
            async with open_database(Path(folder) / "selftest.db") as store:
                async for row in run_selftest(store, names, items, seed):
                    show_line(format_row(row.values()))
                    is_right &= row["inside"] == "yes"
        return is_right

    show_line(format_row(COLUMN_WIDTHS))
    is_right = asyncio.run(run_worlds())
    show_line(
        "Planted: the true gain, in points. Recovered: the report's gain, with its 95 % interval. Inside: whether it "
        "is in a band that holds all figures together with 99.9 % probability. Expected: the verdict if it has a "
        "probability of 95 % or more, else –. Given: the report's verdict."
    )
    if not is_right:
        raise typer.Exit(1)
