"""`moot report`: open the report of a saved run in the browser."""

import asyncio
import webbrowser
from pathlib import Path
from typing import Annotated

import platformdirs
from typer import Option

from ...state import InputError
from ..display.screen import Screen
from ..run.command_options import Database, RunName


def report(
    run: RunName,
    no_browser: Annotated[bool, Option("--no-browser", help="Print the path instead of opening it.")] = False,
    output: Annotated[
        Path | None, Option("--output", "-o", metavar="FILE", help="Write to this file; open nothing.")
    ] = None,
    db: Database = "",
) -> None:
    """Open the report of a saved run in the browser."""
    from ..report import load_document, render_html  # what only a report needs, so that help is quick

    page = render_html(asyncio.run(load_document(run, db)))
    path = output or Path(platformdirs.user_data_dir("moot", appauthor=False)) / "reports" / f"{run}.html"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(page, "utf-8")
    except OSError as error:
        raise InputError("-o", str(path), f"cannot be written: {error.strerror}") from None
    screen = Screen()
    screen.show_line(str(path.resolve()))
    if not (no_browser or output) and not webbrowser.open(path.resolve().as_uri()):
        screen.show_line("No browser was found; open the file yourself.")
