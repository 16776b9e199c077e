"""The commands, loaded when they are called: `moot --help` needs a name and a line for each, and nothing more."""

import sys
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

RUN, SAVED, TOOLS = "Deliberate", "Saved runs", "What there is"


class Entry(NamedTuple):
    """Where a command is defined, and its line in the help."""

    module: str
    name: str
    panel: str
    line: str


COMMANDS = {
    "debate": Entry("begin", "debate", RUN, "Two speakers, for and against, until one concedes or they are stuck."),
    "justice": Entry("justice", "justice", RUN, "Principles of justice, chosen alone and in a group, for pay."),
    "consensus": Entry("begin", "consensus", RUN, "Three or more look for common ground; dissent is kept."),
    "discuss": Entry(
        "discuss", "discuss", RUN, "People, programs and models speak strictly in turn, until one closes it."
    ),
    "panel": Entry("panel", "panel", RUN, "Experts discuss research papers and reach one conclusion."),
    "resume": Entry("resume", "resume", SAVED, "Go on exactly where a run stopped; of a finished one, its ending."),
    "runs": Entry("runs", "runs", SAVED, "List saved runs, newest first."),
    "show": Entry("show", "show", SAVED, "Print or export one saved run."),
    "history": Entry("history", "history", SAVED, "List the checkpoints of one saved run, oldest first."),
    "fork": Entry(
        "fork", "fork", SAVED, "Go on from a moment of a saved run, changed, as a run of its own; then compare the two."
    ),
    "estimate": Entry("estimate", "estimate", TOOLS, "Estimate what a run would cost: low, expected, high."),
    "graph": Entry("about", "graph", TOOLS, "The drawing of a protocol, as mermaid text."),
    "profiles": Entry("about", "profiles", TOOLS, "Persona profiles: who argues, and how."),
    "models": Entry("models", "models", TOOLS, "List the models that can be named here."),
    "papers": Entry("papers", "papers", TOOLS, "The paper library: add papers, list them, search them."),
    "vote": Entry("vote", "vote", TOOLS, "Count the ballots in a file by one rule, or compare all rules they support."),
    "check": Entry("check", "check", TOOLS, "Try a model: text, structured output, streaming, usage."),
}


ALIASES = {"discussion": "discuss"}
"""Other names a command is understood by."""


def loaded(name: str) -> Any:
    """The command itself: a function, or a Typer object with commands of its own."""
    entry = COMMANDS[ALIASES.get(name, name)]
    found = getattr(import_module(f".{entry.module}", __package__), entry.name)
    if isinstance(found, typer.Typer):
        return typer.main.get_command(found)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name)(found)
    return typer.main.get_command(alone)


class Commands(TyperGroup):
    """The group of all commands; what goes wrong in one becomes a line on stderr and an exit code."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, entry in COMMANDS.items():
            self.add_command(TyperCommand(name, help=entry.line, rich_help_panel=entry.panel))

    def get_command(self, ctx: Any, name: str) -> Any:
        return super().get_command(ctx, ALIASES.get(name, name))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, _, rest = super().resolve_command(ctx, args)
        return name, loaded(str(name)), rest

    def main(self, args: Any = None, standalone_mode: bool = True, **settings: Any) -> Any:  # type: ignore[override]
        try:
            result = super().main(args, standalone_mode=False, **settings)
        except (TyperException, ValueError, RuntimeError, OSError) as error:
            from ..failure import failure

            failed = failure(error)
            print(f"moot: {failed.line}", file=sys.stderr)
            result = failed.code
        if standalone_mode:
            sys.exit(result if isinstance(result, int) else 0)
        return result
