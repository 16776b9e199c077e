"""Two runs side by side: what differs, and what was said turn by turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ..difference import difference
from ..report.blocks import Table
from ..report.page import Page, page
from ..report.talk import Entry, rounds
from ..saved import checked, load
from .room import room_of
from .run_page import document_of
from .words import language_of, shown


@dataclass(frozen=True)
class Pair:
    """One turn in both runs; `same`: word for word."""

    turn: int
    first: Entry | None
    second: Entry | None

    @property
    def same(self) -> bool:
        """Whether the same was said by the same in both."""
        if not (self.first and self.second):
            return False
        return (self.first.who, self.first.text) == (self.second.who, self.second.text)


async def compare(request: Request) -> Response:
    """Two runs, or the choice of them."""
    store, language = room_of(request).store, language_of(request)
    names = [request.query_params.get(key, "") for key in ("a", "b")]
    if not all(names):
        listed = [(one.run, one.topic) for one in await store.runs.all()]
        return shown("choose.html", language, runs=listed[:500], chosen=names)
    first, second = [document_of(await load(store, checked(name))) for name in names]
    return shown("compare.html", first["language"], **compared(first, second))


def compared(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """What a page that compares two documents shows."""
    pages = [page(first), page(second)]
    rows = [list(row) for row in difference(first, second) if not row[0].startswith("statement ")]
    return {
        "pages": pages,
        "differences": Table(f"{first['run']} · {second['run']}", ["", first["run"], second["run"]], rows, named=True),
        "pairs": _pairs(*pages),
        "names": [first["run"], second["run"]],
    }


def _pairs(first: Page, second: Page) -> list[Pair]:
    one, other = _turns(first), _turns(second)
    return [Pair(turn, one.get(turn), other.get(turn)) for turn in sorted({*one, *other})]


def _turns(shown: Page) -> dict[int, Entry]:
    return {one.turn: one for part in rounds(shown) for one in part.entries if not one.own}
