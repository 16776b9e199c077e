"""`moot report`: open the report of a saved run in the browser."""

import asyncio
import webbrowser
from pathlib import Path
from typing import Annotated

import platformdirs
from typer import Option

from ..display.screen import Screen
from ..run.command_options import Database, RunName
from ..run.config_file import write_text


def report(
    run: RunName,
    no_browser: Annotated[bool, Option("--no-browser", help="Print the path instead of opening it.")] = False,
    output: Annotated[
        Path | None, Option("--output", "-o", metavar="FILE", help="Output file, .html; Moot opens no browser.")
    ] = None,
    db: Database = "",
) -> None:
    """Open the report of a saved run in the browser."""
    from ..report import load_document, render_html  # what only a report needs, so that help is quick

    path = output or Path(platformdirs.user_data_dir("moot", appauthor=False)) / "reports" / f"{run}.html"
    write_text(
        path, render_html(asyncio.run(load_document(run, db))), makes_folder=True, mode=0o600, endings=(".html", ".htm")
    )
    screen = Screen()
    screen.show_line(str(path.resolve()))
    if not (no_browser or output) and not webbrowser.open(path.resolve().as_uri()):
        screen.show_line("No browser was found. Open the file yourself.")
