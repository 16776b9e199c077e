"""`moot report-site`: the runs as a static site."""

import asyncio
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ....prompts import LANGUAGES
from ....state.errors import InputError
from ...display.screen import Screen
from ...run.command_options import Database
from ...saved import open_database

SiteFolder = Annotated[Path, Argument(metavar="FOLDER", help="Where to; it is made if it is not there.")]
IndexLanguage = Annotated[str, Option("--language", metavar="TAG", help=f"Of its index: {', '.join(LANGUAGES)}.")]


def report_site(folder: SiteFolder, language: IndexLanguage = "en", db: Database = "") -> None:
    """Write all saved runs as a static site: index, reports, comparisons."""
    try:
        from ...web.site import write_site  # needs the extra `web`
    except ImportError:
        raise InputError("report-site", None, 'it needs packages of its own: pip install "moot[web]"') from None

    async def write_runs() -> int:
        async with open_database(db, read_only=True) as store:
            return await write_site(store, folder, language)

    run_count = asyncio.run(write_runs())
    Screen().show_line(f"{run_count} runs: {folder / 'index.html'}")
