"""The command `moot`."""

import os

os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")  # read when langgraph is imported: before anything else

from importlib.metadata import version
from typing import Annotated

import typer

from .commands.entries import Commands

app = typer.Typer(cls=Commands, rich_markup_mode="rich", pretty_exceptions_enable=False)


@app.callback(invoke_without_command=True)
def moot(
    context: typer.Context,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and leave.")] = False,
) -> None:
    """Deliberation protocols for language models and people."""
    if show_version:
        print(f"moot {version('moot')}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


def main() -> None:
    """Run the command line."""
    app()
