"""`moot site`: write all saved runs as a static site."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from ....prompts import LANGUAGES
from ....state import InputError
from ...display.screen import Screen
from ...run.command_options import Database, flatten_options
from ...saved import open_database


@flatten_options
async def site(
    folder: Annotated[Path, Argument(metavar="FOLDER", help="Output folder.")],
    language: Annotated[
        str, Option("--language", metavar="TAG", help=f"Language of the index: {', '.join(LANGUAGES)}.")
    ] = "en",
    db: Database = "",
) -> None:
    """Write all saved runs as a static site."""
    try:
        from ...web.site import write_site  # needs the extra `web`
    except ImportError:
        raise InputError("site", None, 'a site needs additional packages: pip install "moot[web]"') from None

    async with open_database(db, read_only=True) as store:
        run_count = await write_site(store, folder, language)
    Screen().show_line(f"{run_count} runs: {folder / 'index.html'}")
