"""`moot report-site`: all runs as a static site."""

import asyncio
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ...prompts import LANGUAGES
from ...state.refused import Refused
from ..display.screen import Screen
from ..options import Database
from ..saved import opened

Folder = Annotated[Path, Argument(metavar="FOLDER", help="Where to; it is made if it is not there.")]
Language = Annotated[str, Option("--language", metavar="TAG", help=f"Of its index: {', '.join(LANGUAGES)}.")]


def report_site(folder: Folder, language: Language = "en", db: Database = "") -> None:
    """Write all saved runs as a static site: index, reports, comparisons."""
    try:
        from ..web.site import write_site  # needs the extra `web`
    except ImportError:
        raise Refused("report-site", None, 'it needs packages of its own: pip install "moot[web]"') from None

    async def written() -> int:
        async with opened(db, reading=True) as store:
            return await write_site(store, folder, language)

    count = asyncio.run(written())
    Screen().line(f"{count} runs: {folder / 'index.html'}")
