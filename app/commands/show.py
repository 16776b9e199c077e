"""`moot show`: print or export a saved run."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from ...state.refused import Refused
from ..display.plain import as_json
from ..display.reading import read_aloud
from ..display.screen import Screen
from ..display.transcript import transcript
from ..document import saved_document
from ..options import AsJson, Database, NoColor, RunName
from ..report import html, markdown
from ..tables.export import turns_csv, write_tables

Exporter = Callable[[Mapping[str, Any]], str]


FORMATS: dict[str, Exporter] = {
    "transcript": transcript,
    "md": markdown,
    "json": lambda found: as_json(found) + "\n",
    "html": html,
    "csv": turns_csv,
}
"""From a run's document to a text, by the name of the format."""


def show(
    run: RunName,
    format: Annotated[str, Option("--format", metavar="FORMAT", help=f"One of {', '.join(FORMATS)}.")] = "transcript",
    output: Annotated[
        Path | None,
        Option("--output", "-o", metavar="FILE", help="Write there instead; csv: into a folder, every table."),
    ] = None,
    db: Database = "",
    json: AsJson = False,
    no_color: NoColor = False,
) -> None:
    """Print or export one saved run."""
    export, found = exporter("json" if json else format), asyncio.run(saved_document(run, db))
    if output is not None and export is turns_csv and output.suffix != ".csv":
        return write_tables(found, output)
    screen = Screen(no_color=no_color)
    if output is None and export is transcript and screen.live:
        return read_aloud(found, screen)
    text = export(found)
    if output is None:
        return print(text, end="")
    try:
        output.write_text(text, "utf-8")
    except OSError as fault:
        raise Refused("-o", str(output), f"cannot be written: {fault.strerror}") from None


def exporter(format: str) -> Exporter:
    """The exporter of this name; raises `Refused` with the names there are."""
    if format not in FORMATS:
        raise Refused("--format", format, f"choose one of {', '.join(FORMATS)}")
    return FORMATS[format]
