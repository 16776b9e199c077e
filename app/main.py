"""Command line of Moot. Each command is imported only when it is called.

The help needs only the summary line of a command.
"""

import os

os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")  # read when langgraph is imported: before anything else

import sys
import warnings
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from io import StringIO, TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from ..state.plugins.entry_points import PROTOCOL_GROUP, map_entry_points
from .protocols.registry import map_protocols

DELIBERATE_HEADING, FOLLOW_HEADING, MEASURE_HEADING, SHARE_HEADING, LOOK_UP_HEADING = (
    "Deliberate",
    "Follow, continue and change runs",
    "Compare and measure",
    "Connect and share",
    "Look up and set up",
)

COMMANDS = {protocol.name: (DELIBERATE_HEADING, protocol.line) for protocol in map_protocols().values()} | {
    "example": (DELIBERATE_HEADING, "Play a recorded example; --list lists them."),
    "serve": (DELIBERATE_HEADING, "Use Moot in the browser: start, watch, stop and fork runs."),
    "runs": (FOLLOW_HEADING, "List saved runs, newest first."),
    "show": (FOLLOW_HEADING, "Print or export a saved run."),
    "report": (FOLLOW_HEADING, "Open the report of a saved run in the browser."),
    "resume": (FOLLOW_HEADING, "Continue a run where it stopped."),
    "join": (FOLLOW_HEADING, "Take your seat in a run and answer its questions."),
    "fork": (FOLLOW_HEADING, "Start a changed copy of a run from one of its turns."),
    "checkpoints": (FOLLOW_HEADING, "List the checkpoints of a saved run, oldest first."),
    "delete": (FOLLOW_HEADING, "Delete a saved run permanently."),
    "estimate": (MEASURE_HEADING, "Estimate the cost of a run: low, expected, high, maximum."),
    "compare-talk": (MEASURE_HEADING, "Measure whether a deliberation changes an answer."),
    "experiment": (MEASURE_HEADING, "Run an experiment of many runs, and report the results."),
    "calibrate": (MEASURE_HEADING, "Compute a stopping rule from the runs of an experiment."),
    "count": (MEASURE_HEADING, "Count a file of ballots by one rule, or by all rules."),
    "mcp": (SHARE_HEADING, "Serve deliberations as tools of an assistant (MCP)."),
    "site": (SHARE_HEADING, "Write all saved runs as a static site."),
    "export-inspect": (SHARE_HEADING, "Write saved runs as a log for Inspect."),
    "models": (LOOK_UP_HEADING, "List the models that you can use here."),
    "check-model": (LOOK_UP_HEADING, "Test a model: text, structured output, streaming, tools, usage."),
    "settings": (LOOK_UP_HEADING, "List all settings of a protocol with bounds and defaults."),
    "profiles": (LOOK_UP_HEADING, "List the persona profiles of the protocols."),
    "diagram": (LOOK_UP_HEADING, "Print the diagram of a protocol as Mermaid text."),
    "papers": (LOOK_UP_HEADING, "Manage the paper library: add, list, search, remove."),
}
"""Heading and help line of each command. Most commands are defined in `commands`."""

COMMAND_MODULES = {
    "export-inspect": "tools.inspect.command",
    "mcp": "tools.mcp.command",
    "site": "commands.room.site",
    "serve": "commands.room.serve",
}
"""Modules of the commands that are not defined directly in `commands`."""

COMMAND_ALIASES = {"discuss": "discussion"}


def load_command(name: str) -> Any:
    """Load the command with this name.

    A protocol without a module in `commands` gets a generic command.
    """
    if name in map_entry_points(PROTOCOL_GROUP) and _is_builtin(name):
        import_module(".protocols.registry", __package__).check_protocol_name(name)
    name = COMMAND_ALIASES.get(name, name)
    if _is_builtin(name):
        command = getattr(import_module(f".{get_module_name(name)}", __package__), name.replace("-", "_"))
    else:
        command = import_module(".protocols.command", __package__).make_protocol_command(name)
    if isinstance(command, typer.Typer):
        return typer.main.get_command(command)
    typer_app = typer.Typer(add_completion=False, rich_markup_mode=None)
    typer_app.command(name)(command)
    return typer.main.get_command(typer_app)


def _is_builtin(name: str) -> bool:
    """Return whether Moot itself has a command with this name, which packages must not reuse."""
    return find_spec(f".{get_module_name(name)}", __package__) is not None


def get_module_name(command: str) -> str:
    """Return the module of a command, within `app`. It contains a function with the command's name."""
    return COMMAND_MODULES.get(command, f"commands.{command.replace('-', '_')}")


class CommandGroup(TyperGroup):
    """Group of all commands, which turns an error into a line on stderr and an exit code."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, (heading, line) in COMMANDS.items():
            self.add_command(TyperCommand(name, help=line, rich_help_panel=heading))

    def get_command(self, ctx: Any, name: str) -> Any:
        return super().get_command(ctx, COMMAND_ALIASES.get(name, name))

    def get_params(self, ctx: Any) -> Any:
        parameters = super().get_params(ctx)
        for parameter in parameters:  # all are flags, whose type the help need not show
            parameter.metavar = ""
        return parameters

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, _, remaining_args = super().resolve_command(ctx, args)
        return name, load_command(str(name)), remaining_args

    def main(self, args: Any = None, standalone_mode: bool = True, **settings: Any) -> Any:  # type: ignore[override]
        try:
            result = super().main(args, standalone_mode=False, **settings)
        except (TyperException, ValueError, RuntimeError, OSError) as error:
            failure = import_module(".run.failure", __package__).explain_failure(error)
            print(f"moot: {failure.line}", *filter(None, [failure.note]), sep="\n", file=sys.stderr)
            result = failure.code
        if standalone_mode:
            sys.exit(result if isinstance(result, int) else 0)
        return result


app = typer.Typer(cls=CommandGroup, rich_markup_mode="rich", pretty_exceptions_enable=False)


@app.callback(invoke_without_command=True)
def moot(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Deliberation protocols for language models and people."""
    # Python warns about a save that langgraph cancels before it starts.
    warnings.filterwarnings(
        "ignore", r"coroutine 'AsyncPregelLoop\._checkpointer_put_after_previous' was never awaited", RuntimeWarning
    )
    if show_version:
        print(f"moot {version('moot')}")
    elif context.invoked_subcommand is None and (
        next_command := import_module(".first_steps", __package__).show_first_steps()
    ):
        app(next_command)


def main() -> None:
    """Run the command line, even without standard input or with an encoding that lacks characters."""
    sys.stdin = sys.stdin or StringIO()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app()
