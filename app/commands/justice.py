"""`moot justice`: run the experiment once, or many times with the same settings."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from ...prompts import get_term
from ...state import InputError
from ...state.justice import JusticeSettings
from ..display import (
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
from ..experiment import (
    ExecutionOptions,
    check_export_folder,
    enter_experiment,
    export_experiment,
    is_rehearsal,
    load_archive,
    parse_plan,
)
from ..experiment.run_experiment import run_experiment
from ..export.export import write_tables
from ..protocols.justice.log import VerbosityFilter
from ..protocols.justice.settings import read_experiment_settings
from ..protocols.justice.summary import build_results, list_summary_lines, summarize_results
from ..protocols.protocol import get_protocol
from ..report import build_document
from ..run import (
    People,
    RunRequest,
    ViewOptions,
    flatten_options,
    parse_assignments,
    parse_seats,
    read_config,
    run_at_terminal,
)
from ..saved import SavedRun, load_saved_run, make_run_name, open_database


@dataclass(frozen=True)
class JusticeOptions:
    """Settings of a justice experiment as options. They override the file."""

    file: Annotated[Path | None, Option("--config", metavar="FILE", help="Same as CONFIG.")] = None
    repeats: Annotated[int | None, Option(metavar="N", help="Number of runs, each with another seed.")] = None
    export: Annotated[Path | None, Option(metavar="FOLDER", help="Folder for results (JSON) and tables (CSV).")] = None
    people: People = field(default_factory=list)
    model: Annotated[str | None, Option(metavar="SPEC", help="Model, or rehearsal.")] = None
    stay: Annotated[str | None, Option(metavar="WHERE", help="Servers that may get prompts: local, or addresses.")] = (
        None
    )
    language: Annotated[str | None, Option(metavar="TAG", help="Language: en, es or zh.")] = None
    seed: Annotated[int | None, Option(metavar="N", help="Seed of all random draws.")] = None
    max_rounds: Annotated[int | None, Option(metavar="N", help="Maximum rounds.")] = None
    max_calls: Annotated[int | None, Option(metavar="N", help="Maximum model calls per run.")] = None
    max_total_tokens: Annotated[int | None, Option(metavar="N", help="Maximum tokens per run.")] = None
    max_cost: Annotated[float | None, Option(metavar="X", help="Maximum cost per run.")] = None
    record: Annotated[str | None, Option(metavar="FILE", help="File for a recording of all answers.")] = None
    replay: Annotated[str | None, Option(metavar="FILE", help="Recording that replaces the models.")] = None
    set: Annotated[list[str], Option(metavar="KEY=VALUE", help="Any other setting, such as frame=loss.")] = field(
        default_factory=list
    )

    def collect_values(self) -> dict[str, Any]:
        """Return the values of the options that the user set, by key."""
        values = {key: value for key, value in vars(self).items() if key not in ("file", "export", "set", "people")}
        values |= {"participants": parse_seats(self.people) or None}
        return {key: value for key, value in {**values, **parse_assignments(self.set)}.items() if value is not None}


@flatten_options
def justice(
    config: Annotated[
        Path | None, Argument(metavar="CONFIG", help="YAML file of settings [default: all defaults].")
    ] = None,
    *,
    options: JusticeOptions,
    view: ViewOptions,
) -> None:
    """Run the Frohlich–Oppenheimer justice experiment."""
    if config and options.file:
        raise InputError("--config", str(options.file), f"settings come from one file, and {config} is given; name one")
    config_file = config or options.file
    settings = read_experiment_settings(read_config(config_file) if config_file else {}, options.collect_values())
    if options.export:
        check_export_folder(options.export, "")
    if settings.repeats > 1:
        return asyncio.run(_run_series(settings, options, view))
    terminal = Terminal(view)
    terminal.watcher = VerbosityFilter(terminal.watcher, settings.logging.verbosity_level)
    saved_run = asyncio.run(run_at_terminal(RunRequest(get_protocol("justice"), settings), terminal))
    if options.export:
        document = build_document(saved_run)
        write_tables(document, options.export)
        (options.export / f"{saved_run.run.run}.json").write_text(format_json(document) + "\n", "utf-8")
        note = translate_display_phrase(settings.language, "run.exported", folder=options.export)
        terminal.show_note(note, QUIET_STYLE)
    show_ending(terminal, saved_run)


async def _run_series(settings: JusticeSettings, options: JusticeOptions, view: ViewOptions) -> None:
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
    if options.export:
        export_experiment(options.export, archive)
    has_no_model = is_rehearsal(saved_experiment)
    summary = summarize_results(build_results(runs), settings.ceiling_warning_share)
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
