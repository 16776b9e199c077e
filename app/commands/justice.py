"""`moot justice`: run the experiment, once or as a series."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Exit, Option

from ...nodes.models.chat import default_spec
from ...nodes.models.failures import Stopped
from ...prompts import term
from ...state.ends import UNAVAILABLE
from ...state.justice import JusticeRules
from ...state.refused import Refused
from ..config import assignments, read_config
from ..display.ending import show_ending
from ..display.plain import as_json
from ..display.screen import LABEL, QUIET, TITLE
from ..display.terminal import Terminal
from ..display.wording import say
from ..estimate import announcement
from ..failure import INTERRUPTED, Interrupted
from ..justice.log import Level
from ..justice.series import check_folder, exported, played, report_lines, reported, results_of, still_to_play, taken_on
from ..justice.settings import experiment_rules
from ..options import View, spread
from ..protocols import protocol
from ..request import Request
from ..saved import Saved, checked, ended_alone, new_name, opened

Config = Annotated[Path | None, Argument(metavar="CONFIG", help="Settings in YAML; none: all defaults.")]


@dataclass(frozen=True)
class Choices:
    """Settings given by option; they take precedence over the file."""

    repeats: Annotated[int | None, Option(metavar="N", help="How many runs, each with its own seed.")] = None
    series: Annotated[str | None, Option(metavar="NAME", help="Go on with a series, with its own settings.")] = None
    export: Annotated[Path | None, Option(metavar="FOLDER", help="Write results as JSON and tables as CSV.")] = None
    model: Annotated[str | None, Option(metavar="SPEC", help="Model of all, or rehearsal.")] = None
    language: Annotated[str | None, Option(metavar="TAG", help="en, es or zh.")] = None
    seed: Annotated[int | None, Option(metavar="N", help="Seed of every draw.")] = None
    max_rounds: Annotated[int | None, Option(metavar="N", help="Rounds of discussion at most.")] = None
    max_calls: Annotated[int | None, Option(metavar="N", help="Model calls at most, per run.")] = None
    max_total_tokens: Annotated[int | None, Option(metavar="N", help="Tokens at most, per run.")] = None
    max_cost: Annotated[float | None, Option(metavar="X", help="Money at most, per run; needs prices.")] = None
    record: Annotated[
        str | None, Option(metavar="FILE", help="Write every answer to a file it can be replayed from.")
    ] = None
    replay: Annotated[str | None, Option(metavar="FILE", help="Take every answer from such a file.")] = None
    set: Annotated[list[str], Option(metavar="KEY=VALUE", help="Any other key, such as frame=loss.")] = field(
        default_factory=list
    )

    def said(self) -> dict[str, Any]:
        """The settings that were given, by key."""
        named = {key: value for key, value in vars(self).items() if key not in ("series", "export", "set")}
        return {key: value for key, value in {**named, **assignments(self.set)}.items() if value is not None}

    def check_series(self, config: Path | None) -> None:
        """Refuse what could not act on a series: it goes on with the settings it was begun with."""
        named = {key: value for key, value in self.said().items() if key != "repeats"}
        given = ({"config": str(config)} if config else {}) | named
        for key, value in given.items():
            remedy = f"the series {self.series} goes on with its own settings; leave it out, or begin a new series"
            raise Refused(key, value, remedy)


@spread
def justice(config: Config = None, *, choices: Choices, view: View) -> None:
    """Principles of justice, chosen alone and in a group, for pay."""
    if choices.series:
        choices.check_series(config)
    rules = experiment_rules(read_config(config) if config else {}, choices.said())
    asyncio.run(_run(rules, choices, view))


async def _run(rules: JusticeRules, choices: Choices, view: View) -> None:
    terminal = Terminal(view)
    name = checked(choices.series) if choices.series else new_name("justice")
    if choices.export:
        check_folder(choices.export, name)
    try:
        async with opened(view.db, create=not choices.series) as store:
            terminal.place = view.db and store.where
            if choices.series:
                rules = await taken_on(store, name, choices.repeats)
            rules = rules.settled(model=rules.model or await default_spec())
            ahead = await still_to_play(store, name, rules) if choices.series else rules
            terminal.expected = await announcement(Request(protocol("justice"), ahead))
            terminal.watcher = Level(terminal.watcher, rules.logging.verbosity_level)
            done = await played(store, name, rules, terminal)
    except (Stopped, Interrupted) as stop:
        if not terminal.run:
            raise
        raise type(stop)(f"{stop}; saved, go on with: {terminal.command('justice', '--series', name)}") from stop
    _show(terminal, done, rules, choices)


def _show(terminal: Terminal, done: list[Saved], rules: JusticeRules, choices: Choices) -> None:
    results = results_of(done)
    report = reported(results, rules.ceiling_warning_share)
    if choices.export:
        exported(choices.export, done, report)
        terminal.note(say(rules.language, "run.exported", folder=choices.export), QUIET)
    if len(done) == 1:
        return show_ending(terminal, done[0])
    rehearsed = all(one.state["outcome"] and one.state["outcome"].rehearsal for one in done)
    label = [term(rules.language, "headline", "rehearsal")] if rehearsed else []
    if terminal.view.json:
        runs = {name: one.model_dump(mode="json") for name, one in results.items()}
        print(as_json({"series": report.model_dump(mode="json"), "results": runs}))
    else:
        for line in [*label, *report_lines(report, rules.language)]:
            terminal.screen.line(line, TITLE)
    if label:
        terminal.note(say(rules.language, "run.no_model"), LABEL)
    if lost := [one.run.run for one in done if ended_alone(one)]:
        again = terminal.command("justice", "--series", done[0].run.run)
        raise Stopped(f"{UNAVAILABLE}: {', '.join(lost)}; saved, try again with: {again}")
    if terminal.interrupted:
        raise Exit(INTERRUPTED)
    return None
