"""`moot show`: print or export a saved run."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

from typer import Option

from ...state.refused import Refused
from ..display.plain import as_json
from ..display.transcript import transcript
from ..document import document
from ..options import AsJson, Database, RunName
from ..report import html, markdown
from ..saved import checked, load, opened
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
) -> None:
    """Print or export one saved run."""
    export, found = exporter("json" if json else format), asyncio.run(shown(run, db))
    if output is not None and export is turns_csv and output.suffix != ".csv":
        write_tables(found, output)
        return
    text = export(found)
    if output is None:
        print(text, end="")
        return
    try:
        output.write_text(text, "utf-8")
    except OSError as fault:
        raise Refused("-o", str(output), f"cannot be written: {fault.strerror}") from None


def exporter(format: str) -> Exporter:
    """The exporter of this name; raises `Refused` with the names there are."""
    if format not in FORMATS:
        raise Refused("--format", format, f"choose one of {', '.join(FORMATS)}")
    return FORMATS[format]


async def shown(name: str, db: str) -> dict[str, Any]:
    """The document of a saved run."""
    checked(name)
    async with opened(db, reading=True) as store:
        saved = await load(store, name)
    if not saved.begun:
        raise Refused("run", name, "nothing of it was saved; begin it anew")
    return document(saved)
