"""The papers on a panel's table, each with its relevance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...prompts import phrases
from .page import Page


@dataclass(frozen=True)
class Read:
    """One paper as it is shown. `share`: its relevance, 0 to 1; none: it was given. `url`: of the web, or empty."""

    anchor: str
    id: str
    title: str
    made: str
    url: str
    share: float | None
    relevance: str
    abstract: str


def papers(page: Page) -> Sequence[Read]:
    """The papers in the order they were shown."""
    return [_read(page, place, one) for place, one in enumerate(page.document.get("papers") or [], start=1)]


def _read(page: Page, place: int, one: Mapping[str, Any]) -> Read:
    share = one["relevance"]
    shown = "" if share is None else f"{share:.2f}"
    year = [str(one["year"])] if one["year"] else []
    return Read(
        anchor=f"paper-{place}",
        id=one["id"],
        title=one["title"],
        made=", ".join([*one["authors"], *year]),
        url=one["url"] if one["url"].lower().startswith(("http://", "https://")) else "",
        share=share,
        relevance=phrases("panel").say(page.language, f"relevance.{one['ranking']}", figure=shown),
        abstract=one["abstract"],
    )
