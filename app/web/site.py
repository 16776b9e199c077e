"""Static site of all runs: an index, a report of each run, and a comparison of each fork."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...state.errors import InputError
from ..report import render_html
from ..report.document import build_document
from ..saved import Run, Store, load_state
from .compare_page import build_comparison_context
from .rendering import read_asset, render_template


async def write_site(store: Store, folder: Path, language: str) -> int:
    """Write the site and return its number of runs. Other files in the folder stay unchanged."""
    written_runs = list[Run]()
    for run in await store.runs.list_runs():
        saved_run = await load_state(store, run)
        if saved_run.has_begun:
            _write_file(folder / "runs" / f"{run.run}.html", render_html(build_document(saved_run)))
            written_runs.append(saved_run.build_row())
    pairs = await _write_comparisons(store, folder, {written_run.run: written_run for written_run in written_runs})
    _write_file(folder / "index.html", render_site_page("site.html", language, root="", runs=written_runs, pairs=pairs))
    return len(written_runs)


async def _write_comparisons(store: Store, folder: Path, runs: Mapping[str, Run]) -> Sequence[tuple[str, str]]:
    """Compare each fork with its origin, if both are in the site, and return the pairs of run names."""
    pairs = [(origin, run.run) for run in runs.values() if (origin := run.forked_from.partition(" ")[0]) in runs]
    for first, second in pairs:
        first_document, second_document = [
            build_document(await load_state(store, runs[name])) for name in (first, second)
        ]
        page = render_site_page(
            "site_compare.html",
            language=first_document["language"],
            root="../",
            **build_comparison_context(first_document, second_document),
        )
        _write_file(folder / "compare" / f"{second}.html", page)
    return pairs


def render_site_page(name: str, language: str, **values: Any) -> str:
    """Render a page of the site with its styles included, so that it needs no other file."""
    style = "\n".join(read_asset(asset_name).decode() for asset_name in ("report.css", "room.css"))
    return render_template(name, language, style=style, **values)


def _write_file(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    except OSError as error:
        raise InputError("FOLDER", str(path), f"cannot be written: {error.strerror}") from None
