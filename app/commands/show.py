"""`moot show`: print or export a saved run."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from ...state.errors import InputError
from ..display.plain_text import format_json
from ..display.screen import Screen
from ..display.transcript import render_transcript
from ..display.transcript_view import show_transcript
from ..export.export import format_turns_csv, write_tables
from ..report import render_html, render_markdown
from ..report.document import load_document
from ..run.command_options import AsJson, Database, NoColor, RunName
from ..run.config import write_text

EXPORT_FORMATS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    "transcript": render_transcript,
    "md": render_markdown,
    "json": lambda document: format_json(document) + "\n",
    "html": render_html,
    "csv": format_turns_csv,
}
"""Exporter of a run's document, by the name of the format."""


def show(
    run: RunName,
    format: Annotated[
        str, Option("--format", metavar="FORMAT", help=f"One of {', '.join(EXPORT_FORMATS)}.")
    ] = "transcript",
    output: Annotated[
        Path | None,
        Option("--output", "-o", metavar="FILE", help="Write there instead; csv: into a folder, every table."),
    ] = None,
    db: Database = "",
    json: AsJson = False,
    no_color: NoColor = False,
) -> None:
    """Print or export one saved run."""
    export = EXPORT_FORMATS.get("json" if json else format)
    if export is None:
        raise InputError("--format", format, f"choose one of {', '.join(EXPORT_FORMATS)}")
    document = asyncio.run(load_document(run, db))
    if output is not None and export is format_turns_csv and output.suffix != ".csv":
        return write_tables(document, output)
    screen = Screen(no_color=no_color)
    if output is None and export is render_transcript and screen.is_terminal:
        return show_transcript(document, screen)
    text = export(document)
    if output is None:
        return print(text, end="")
    write_text(output, text)
