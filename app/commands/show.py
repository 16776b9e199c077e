"""`moot show`: print or export a saved run."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from ...state import InputError, Participant
from ..display import (
    LABEL_STYLE,
    STATEMENT_INDENT,
    TITLE_STYLE,
    Screen,
    format_json,
    list_transcript_parts,
    neutralize_statement,
    neutralize_synthesis,
    render_transcript,
)
from ..export.csv_files import format_turns_csv, write_tables
from ..report import load_document, render_html, render_markdown
from ..run import AsJson, Database, NoColor, RunName, write_text

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
        Option("--output", "-o", metavar="FILE", help="Output file; for csv a folder."),
    ] = None,
    db: Database = "",
    json: AsJson = False,
    no_color: NoColor = False,
) -> None:
    """Print or export a saved run."""
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


PART_STYLES = {"label": LABEL_STYLE, "heading": TITLE_STYLE}


def show_transcript(document: Mapping[str, Any], screen: Screen) -> None:
    """Print the transcript of a run from its document."""
    screen.assign_colours([Participant(name=participant["name"]) for participant in document["participants"]])
    for part in list_transcript_parts(document):
        match part.kind:
            case "name":
                screen.show_line(part.text, screen.get_name_style(part.who))
            case "said":
                screen.show_markdown(neutralize_statement(part.text), len(STATEMENT_INDENT))
                screen.show_line()
            case "closing":
                screen.show_markdown(neutralize_synthesis(part.text))
            case "answer":
                screen.show_markdown(part.text)
            case _:
                screen.show_prose(part.text, PART_STYLES.get(part.kind, ""))
