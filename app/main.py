"""The command `moot`; each command is loaded when it is called, the help needs a name and a line for each."""

import os

os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")  # read when langgraph is imported: before anything else

import sys
import warnings
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from ..state.installed.packages import PROTOCOLS as BROUGHT
from ..state.installed.packages import brought
from .protocol_list import every_protocol

RUN, SAVED, TOOLS = "Deliberate", "Saved runs", "What there is"
"""The headings of the help."""


UNBEGUN = r"coroutine 'AsyncPregelLoop\._checkpointer_put_after_previous' was never awaited"
"""What Python says aloud of a save that langgraph cancels before it begins; why it does is told by what stopped it."""


class Entry(NamedTuple):
    """A command's line in the help, and the heading it stands under."""

    heading: str
    line: str


COMMANDS = {one.command: Entry(RUN, one.line) for one in every_protocol().values()} | {
    "resume": Entry(SAVED, "Go on exactly where a run stopped; of a finished one, its ending."),
    "join": Entry(SAVED, "Take a seat in a saved run: read what was said, and answer what is asked of you."),
    "runs": Entry(SAVED, "List saved runs, newest first."),
    "show": Entry(SAVED, "Print or export one saved run."),
    "open": Entry(SAVED, "Make the report of one saved run, and open it in the browser."),
    "report-site": Entry(SAVED, "Write all saved runs as a static site: index, reports, comparisons."),
    "inspect": Entry(SAVED, "Write saved runs as a log that inspect_ai reads."),
    "delete": Entry(SAVED, "Delete one saved run for good."),
    "history": Entry(SAVED, "List the checkpoints of one saved run, oldest first."),
    "fork": Entry(SAVED, "Go on from a moment of a saved run, changed, as a run of its own; then compare the two."),
    "serve": Entry(RUN, "Open the room in the browser: begin, watch, stop, fork and compare deliberations."),
    "experiment": Entry(RUN, "Many runs by one plan, and what follows from them."),
    "talk-worth": Entry(RUN, "One question, with and without talking: what changed, and at what price."),
    "calibrate": Entry(TOOLS, "Find the threshold at which a talk may stop, from the runs of an experiment."),
    "estimate": Entry(TOOLS, "Estimate what a run would cost: low, expected, high."),
    "knobs": Entry(TOOLS, "Every knob of a protocol: type, bounds, default and meaning."),
    "graph": Entry(TOOLS, "The drawing of a protocol, as mermaid text."),
    "profiles": Entry(TOOLS, "Persona profiles: who argues, and how."),
    "models": Entry(TOOLS, "List the models that can be named here."),
    "papers": Entry(TOOLS, "The paper library: add papers, list, search, remove them."),
    "vote": Entry(TOOLS, "Count the ballots in a file by one rule, or compare all rules they support."),
    "mcp": Entry(TOOLS, "Serve deliberations as tools of an assistant (Model Context Protocol)."),
    "check": Entry(TOOLS, "Try a model: text, structured output, streaming, usage."),
}
"""The commands: a protocol's, and others; each is defined in the module of its name in `commands`, or in its room."""

ROOMS = {
    "inspect": "inspect.command",
    "mcp": "mcp.command",
    "report-site": "commands.room.report_site",
    "serve": "commands.room.serve",
}
"""Where a command is that has, or shares, a room of its own."""

ALIASES = {one.name: one.command for one in every_protocol().values()}
"""A protocol's name stands for its command."""


def loaded(name: str) -> Any:
    """The command itself: of a protocol that has no module in `commands`, the one any protocol has."""
    if name in brought(BROUGHT) and _is_own(name):
        import_module(".protocols", __package__).refuse_shared(name)
    name = ALIASES.get(name, name)
    if _is_own(name):
        found = getattr(import_module(f".{module_of(name)}", __package__), name.replace("-", "_"))
    else:
        found = import_module(".any_protocol", __package__).command_of(name)
    if isinstance(found, typer.Typer):
        return typer.main.get_command(found)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name)(found)
    return typer.main.get_command(alone)


def _is_own(name: str) -> bool:
    """Whether Moot has a command of its own of this name, which no package may bring."""
    return find_spec(f".{module_of(name)}", __package__) is not None


def module_of(command: str) -> str:
    """The module of a command, in `app`; its function bears the command's name."""
    return ROOMS.get(command, f"commands.{command.replace('-', '_')}")


class Commands(TyperGroup):
    """The group of all commands; what goes wrong in one becomes a line on stderr and an exit code."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, entry in COMMANDS.items():
            self.add_command(TyperCommand(name, help=entry.line, rich_help_panel=entry.heading))

    def get_command(self, ctx: Any, name: str) -> Any:
        return super().get_command(ctx, ALIASES.get(name, name))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, _, rest = super().resolve_command(ctx, args)
        return name, loaded(str(name)), rest

    def main(self, args: Any = None, standalone_mode: bool = True, **settings: Any) -> Any:  # type: ignore[override]
        try:
            result = super().main(args, standalone_mode=False, **settings)
        except (TyperException, ValueError, RuntimeError, OSError) as error:
            failed = import_module(".failure", __package__).failure(error)
            print(f"moot: {failed.line}", *filter(None, [failed.note]), sep="\n", file=sys.stderr)
            result = failed.code
        if standalone_mode:
            sys.exit(result if isinstance(result, int) else 0)
        return result


app = typer.Typer(cls=Commands, rich_markup_mode="rich", pretty_exceptions_enable=False)


@app.callback(invoke_without_command=True)
def moot(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    """Deliberation protocols for language models and people."""
    warnings.filterwarnings("ignore", UNBEGUN, RuntimeWarning)
    if show_version:
        print(f"moot {version('moot')}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


def main() -> None:
    """Run the command line."""
    app()
