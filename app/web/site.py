"""All runs as a static site: an index, the report of every run, and a comparison of every fork with what it left."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...state.refused import Refused
from ..document import document
from ..report import html
from ..saved import Run, Store, state_of
from .compare_page import compared
from .words import asset, rendered


async def write_site(store: Store, folder: Path, language: str) -> int:
    """Write the site, and give the number of runs in it; what else is in the folder stays as it is."""
    written = list[Run]()
    for run in await store.runs.all():
        saved = await state_of(store, run)
        if saved.begun:
            _write(folder / "runs" / f"{run.run}.html", html(document(saved)))
            written.append(saved.row())
    pairs = await _comparisons(store, folder, {one.run: one for one in written})
    _write(folder / "index.html", site_page("site.html", language, root="", runs=written, pairs=pairs))
    return len(written)


async def _comparisons(store: Store, folder: Path, runs: Mapping[str, Run]) -> Sequence[tuple[str, str]]:
    """The forks whose original is there as well, each compared with it."""
    pairs = [(origin, one.run) for one in runs.values() if (origin := one.forked_from.partition(" ")[0]) in runs]
    for first, second in pairs:
        one, other = [document(await state_of(store, runs[name])) for name in (first, second)]
        page = site_page("site_compare.html", language=one["language"], root="../", **compared(one, other))
        _write(folder / "compare" / f"{second}.html", page)
    return pairs


def site_page(name: str, language: str, **values: Any) -> str:
    """A page of the site, which needs no other file for its looks."""
    style = "\n".join(asset(one).decode() for one in ("report.css", "room.css"))
    return rendered(name, language, style=style, **values)


def _write(place: Path, text: str) -> None:
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")
    except OSError as fault:
        raise Refused("FOLDER", str(place), f"cannot be written: {fault.strerror}") from None
