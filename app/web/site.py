"""Static website of all runs: an index, the report of each run, and a comparison for each fork."""

import logging
from pathlib import Path
from typing import Any

from ...state import InputError
from ..report import build_document, render_html
from ..run.config_file import write_text
from ..saved import Run, Store, load_state
from .fork_page import build_comparison_context
from .rendering import read_asset, render_template


async def write_site(store: Store, folder: Path, language: str) -> int:
    """Write the static website and return its number of runs. Other files in the folder stay unchanged.

    A run whose package is not installed here is only listed. A run whose data is damaged is left out, with a warning.
    """
    listed_runs = list[Run]()
    for run in await store.runs.list_runs():
        if run.missing_package:
            listed_runs.append(run)
            continue
        try:
            saved_run = await load_state(store, run)
        except InputError as error:
            logging.getLogger(__name__).warning("moot: left out: %s", error)
            continue
        if saved_run.has_begun:
            write_text(
                folder / "runs" / f"{run.run}.html", render_html(build_document(saved_run)), "FOLDER", makes_folder=True
            )
            listed_runs.append(saved_run.build_row())
    runs = {run.run: run for run in listed_runs if not run.missing_package}
    pairs = [(origin, run.run) for run in runs.values() if (origin := run.forked_from.partition(" ")[0]) in runs]
    for first, second in pairs:
        first_document, second_document = [
            build_document(await load_state(store, runs[name])) for name in (first, second)
        ]
        write_text(
            folder / "compare" / f"{second}.html",
            render_site_page(
                "site_compare.html",
                language=first_document["language"],
                root="../",
                **build_comparison_context(first_document, second_document),
            ),
            "FOLDER",
            makes_folder=True,
        )
    write_text(
        folder / "index.html",
        render_site_page("site.html", language, root="", runs=listed_runs, pairs=pairs),
        "FOLDER",
        makes_folder=True,
    )
    return len(runs)


def render_site_page(name: str, language: str, **values: Any) -> str:
    """Render a page of the static website with its styles included, so that it needs no other file."""
    return render_template(
        name,
        language,
        style="\n".join(read_asset(asset_name).decode() for asset_name in ("report.css", "room.css")),
        **values,
    )
