"""`moot open`: the report of a saved run, in the browser."""

import asyncio
import webbrowser
from pathlib import Path
from typing import Annotated

import platformdirs
from typer import Option

from ...state.refused import Refused
from ..display.screen import Screen
from ..document import saved_document
from ..options import Database, RunName
from ..report import html

Quiet = Annotated[bool, Option("--no-browser", help="Only make it, and print where it is.")]
Output = Annotated[Path | None, Option("--output", "-o", metavar="FILE", help="Make it there.")]


def open(run: RunName, no_browser: Quiet = False, output: Output = None, db: Database = "") -> None:
    """Make the report of one saved run, and open it in the browser."""
    text = html(asyncio.run(saved_document(run, db)))
    place = output or Path(platformdirs.user_data_dir("moot", appauthor=False)) / "reports" / f"{run}.html"
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch(mode=0o600)
        place.write_text(text, "utf-8")
    except OSError as fault:
        raise Refused("-o", str(place), f"cannot be written: {fault.strerror}") from None
    screen = Screen()
    screen.line(str(place.resolve()))
    if not no_browser and not webbrowser.open(place.resolve().as_uri()):
        screen.line("No browser was found; open the file yourself.")
