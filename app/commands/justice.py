"""`moot justice`: run the experiment, once, or many times by a plan of one condition."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from ...nodes.models.chat import default_spec
from ...prompts import term
from ...state.justice import JusticeRules
from ...state.refused import Refused
from ..begin import entered
from ..config import assignments, read_config
from ..display.ending import show_ending
from ..display.plain import as_json
from ..display.screen import LABEL, QUIET, TITLE, Screen
from ..display.terminal import Terminal, command
from ..display.wording import say
from ..document import document
from ..estimate import announcement
from ..experiment.begin import entered as begun
from ..experiment.begin import stored_plan
from ..experiment.course import How, carried_on, is_rehearsed
from ..experiment.data import data, outcomes
from ..experiment.export import check_folder, export
from ..experiment.package import packed
from ..experiment.plan import Plan, plan_from
from ..experiment.status import status
from ..justice.log import Level, listening
from ..justice.settings import experiment_rules
from ..justice.summary import results_of, summary_lines, summary_of
from ..options import People, View, seats_of, spread
from ..protocols import protocol
from ..request import Request
from ..run import run_to_end
from ..saved import Saved, load, new_name, opened
from ..tables.export import write_tables

Config = Annotated[Path | None, Argument(metavar="CONFIG", help="Settings in YAML; none: all defaults.")]


@dataclass(frozen=True)
class Choices:
    """Settings given by option; they take precedence over the file."""

    file: Annotated[Path | None, Option("--config", metavar="FILE", help="CONFIG, as other commands have it.")] = None
    repeats: Annotated[int | None, Option(metavar="N", help="How many runs, each with its own seed.")] = None
    export: Annotated[Path | None, Option(metavar="FOLDER", help="Write results as JSON and tables as CSV.")] = None
    people: People = field(default_factory=list)
    model: Annotated[str | None, Option(metavar="SPEC", help="Model of all, or rehearsal.")] = None
    language: Annotated[str | None, Option(metavar="TAG", help="en, es or zh.")] = None
    seed: Annotated[int | None, Option(metavar="N", help="Seed of every draw.")] = None
    max_rounds: Annotated[int | None, Option(metavar="N", help="Rounds of discussion at most.")] = None
    max_calls: Annotated[int | None, Option(metavar="N", help="Model calls at most, per run.")] = None
    max_total_tokens: Annotated[int | None, Option(metavar="N", help="Tokens at most, per run.")] = None
    max_cost: Annotated[float | None, Option(metavar="X", help="Money at most, per run.")] = None
    record: Annotated[
        str | None, Option(metavar="FILE", help="Write every answer to a file it can be replayed from.")
    ] = None
    replay: Annotated[str | None, Option(metavar="FILE", help="Take every answer from such a file.")] = None
    set: Annotated[list[str], Option(metavar="KEY=VALUE", help="Any other key, such as frame=loss.")] = field(
        default_factory=list
    )

    def said(self) -> dict[str, Any]:
        """The settings that were given, by key."""
        named = {key: value for key, value in vars(self).items() if key not in ("file", "export", "set", "people")}
        named |= {"participants": seats_of(self.people) or None}
        return {key: value for key, value in {**named, **assignments(self.set)}.items() if value is not None}


@spread
def justice(config: Config = None, *, choices: Choices, view: View) -> None:
    """Principles of justice, chosen alone and in a group, for pay."""
    if config and choices.file:
        raise Refused("--config", str(choices.file), f"settings come from one file, and {config} is given; name one")
    file = config or choices.file
    rules = experiment_rules(read_config(file) if file else {}, choices.said())
    if choices.export:
        check_folder(choices.export, "")
    asyncio.run(_many(rules, choices, view) if rules.repeats > 1 else _once(rules, choices, view))


async def _once(rules: JusticeRules, choices: Choices, view: View) -> None:
    terminal = Terminal(view)
    asked = Request(protocol("justice"), rules).with_model(str(rules.model) or await default_spec())
    terminal.expected = await announcement(asked)
    terminal.watcher = Level(terminal.watcher, rules.logging.verbosity_level)
    with terminal.resumable():
        async with opened(view.db) as store:
            terminal.place = view.db and store.where
            run = await entered(store, asked)
            terminal.callbacks = [*listening(asked.rules, run.run, store.where)]
            async with store.lock(run.run):
                saved = await run_to_end(store, run.run, {"experiment_id": run.run}, terminal)
    if choices.export:
        write_tables(document(saved), choices.export)
        (choices.export / f"{saved.run.run}.json").write_text(as_json(document(saved)) + "\n", "utf-8")
        terminal.note(say(rules.language, "run.exported", folder=choices.export), QUIET)
    show_ending(terminal, saved)


def plan_of(name: str, rules: JusticeRules) -> Plan:
    """The plan of one condition that repeats an experiment."""
    settings = rules.model_dump(mode="json", exclude_defaults=True, exclude={"repeats", "seed", "protocol"})
    given = {"name": name, "protocol": "justice", "settings": settings}
    return plan_from(given | {"repeats": rules.repeats, "seed": rules.run_seed})


async def _many(rules: JusticeRules, choices: Choices, view: View) -> None:
    name, screen = new_name("justice"), Screen(no_color=view.no_color)
    shown = None if view.json or view.quiet else screen
    async with opened(view.db) as store:
        stored = await carried_on(store, await begun(store, plan_of(name, rules)), How(shown=shown), view.db)
        found, standing = await outcomes(store, stored), await status(store, stored)
        runs: list[Saved] = [await load(store, one.trial.run) for one in found if one.done]
        place = view.db and store.where
    if choices.export:
        plan = stored_plan(stored)
        export(choices.export, plan, stored, data(plan, found), packed(plan, stored, found, standing))
    rehearsed = is_rehearsed(stored)
    summary = summary_of(results_of(runs), rules.ceiling_warning_share)
    if view.json:
        told = {
            "experiment": name,
            "status": standing.model_dump(mode="json"),
            "summary": summary.model_dump(mode="json"),
        }
        print(as_json(told))
        return
    if rehearsed:
        screen.line(term(rules.language, "headline", "rehearsal"), LABEL)
    for line in summary_lines(summary, rules.language):
        screen.line(line, TITLE)
    screen.line(say(rules.language, "run.saved", run=name))
    screen.line(f"  {command('experiment', 'report', name, db=place)}", QUIET)
    if rehearsed:
        screen.line(say(rules.language, "run.no_model"), LABEL)
