"""Execution of `moot justice`: one run of the experiment, or a series of runs and its summary."""

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import Field

from ....prompts import get_term
from ....state import FrozenModel
from ....state.justice import (
    JusticeResult,
    JusticeSettings,
    Measures,
    SeriesSummary,
    build_justice_result,
    collect_rankings,
    combine_rankings,
    compute_measures,
    summarize_runs,
)
from ...display import (
    LABEL_STYLE,
    QUIET_STYLE,
    TITLE_STYLE,
    Screen,
    Terminal,
    format_command,
    format_json,
    show_ending,
    translate_display_phrase,
)
from ...experiment import (
    ExecutionOptions,
    check_export_folder,
    enter_experiment,
    export_experiment,
    is_rehearsal,
    load_archive,
    parse_plan,
    run_experiment,
)
from ...export.csv_files import write_tables
from ...report import build_document
from ...run import RunRequest, ViewOptions, read_config, run_at_terminal, write_text
from ...saved import SavedRun, load_saved_run, make_run_name, open_database
from ..registry import get_protocol
from .hooks import build_experiment_settings
from .log import VerbosityFilter
from .step_messages import format_rule, translate_justice_phrase


class JusticeSummary(FrozenModel):
    """Summary of several runs of the justice experiment."""

    runs: list[str] = Field(description="Names of the runs, in order.")
    group: SeriesSummary = Field(description="Consensus rates, adopted rules and effects of the amounts.")
    measures: Measures = Field(
        description=(
            "Measures of the rankings in all runs. A participant is `n:id`, with the run's "
            "position n in `runs`, from 1."
        )
    )


def summarize_results(results: Mapping[str, JusticeResult], ceiling_warning_share: float) -> JusticeSummary:
    """Summarize the results of several runs, which `results` holds by the name of the run.

    `ceiling_warning_share`: as in `compute_measures`.
    """
    rankings = [collect_rankings(result.phase1, result.phase2.final_rankings) for result in results.values()]
    groups = [result.phase2 if result.status == "completed" else None for result in results.values()]
    return JusticeSummary(
        runs=list(results),
        group=summarize_runs(groups),
        measures=compute_measures(combine_rankings(rankings), ceiling_warning_share),
    )


def list_summary_lines(summary: JusticeSummary, language: str) -> list[str]:
    """Return the lines of a summary in a language."""
    group, translate = summary.group, partial(translate_justice_phrase, language)
    rate, lines = group.consensus, [translate("series.runs", count=len(summary.runs))]
    if rate.share is not None:
        shares = {"share": f"{rate.share:.0%}", "low": f"{rate.low:.3f}", "high": f"{rate.high:.3f}"}
        lines.append(translate("series.consensus", **shares, **rate.model_dump(include={"count", "of", "left_out"})))
    lines += [f"  {format_rule(agreement.rule, language)}: {agreement.runs}" for agreement in group.agreed]
    rates = {name: getattr(group, name) for name in ("constraint_satisfied", "binding", "decisive")}
    lines += [translate(f"series.{name}", count=rate.count, of=rate.of) for name, rate in rates.items() if rate.of]
    return lines


def start_experiment(
    config_file: Path | None, overrides: Mapping[str, Any], export_folder: Path | None, view: ViewOptions
) -> None:
    """Run the experiment, show its ending, and export its results.

    `config_file`: file with settings, which `overrides` take precedence over. `export_folder`: folder for the results;
    `None` for no export.
    """
    settings = build_experiment_settings(read_config(config_file) if config_file else {}, overrides)
    if export_folder:
        check_export_folder(export_folder, "")
    if settings.repeats > 1:
        return asyncio.run(_run_series(settings, export_folder, view))
    terminal = Terminal(view)
    terminal.watcher = VerbosityFilter(terminal.watcher, settings.logging.verbosity_level)
    saved_run = asyncio.run(run_at_terminal(RunRequest(get_protocol("justice"), settings), terminal))
    if export_folder:
        document = build_document(saved_run)
        write_tables(document, export_folder)
        write_text(export_folder / f"{saved_run.run.run}.json", format_json(document) + "\n")
        terminal.show_note(
            translate_display_phrase(settings.language, "run.exported", folder=export_folder), QUIET_STYLE
        )
    show_ending(terminal, saved_run)


async def _run_series(settings: JusticeSettings, export_folder: Path | None, view: ViewOptions) -> None:
    name, screen = make_run_name("justice"), Screen(no_color=view.no_color)
    watch_screen = None if view.json or view.quiet else screen
    overrides = settings.model_dump(mode="json", exclude_defaults=True, exclude={"repeats", "seed", "protocol"})
    plan_fields = {"name": name, "protocol": "justice", "settings": overrides}
    plan = parse_plan(plan_fields | {"repeats": settings.repeats, "seed": settings.run_seed})  # of one condition
    async with open_database(view.db) as store:
        saved_experiment = await enter_experiment(store, plan)
        saved_experiment = await run_experiment(store, saved_experiment, ExecutionOptions(screen=watch_screen), view.db)
        archive = await load_archive(store, saved_experiment)
        runs: list[SavedRun] = [await load_saved_run(store, run.planned.run) for run in archive.runs if run.is_done]
        address = view.db and store.address
    if export_folder:
        export_experiment(export_folder, archive)
    has_no_model = is_rehearsal(saved_experiment)
    results = {run.run.run: build_justice_result(run.state) for run in runs}  # type: ignore[arg-type]
    summary = summarize_results(results, settings.ceiling_warning_share)
    if view.json:
        document = {
            "experiment": name,
            "status": archive.status.model_dump(mode="json"),
            "summary": summary.model_dump(mode="json"),
        }
        print(format_json(document))
        return
    if has_no_model:
        screen.show_line(get_term(settings.language, "headline", "rehearsal"), LABEL_STYLE)
    for line in list_summary_lines(summary, settings.language):
        screen.show_line(line, TITLE_STYLE)
    screen.show_line(translate_display_phrase(settings.language, "run.saved", run=name))
    screen.show_line(f"  {format_command('experiment', 'report', name, db=address)}", QUIET_STYLE)
    if has_no_model:
        screen.show_line(translate_display_phrase(settings.language, "run.no_model"), LABEL_STYLE)
