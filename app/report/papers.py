"""Papers given to a panel, each with its relevance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...prompts import load_phrases
from .page import Page


@dataclass(frozen=True)
class PaperEntry:
    """Paper in the form shown on the page.

    `share`: relevance, 0 to 1, or `None` for a paper that the user supplied. `url`: a web address, or empty.
    """

    anchor: str
    id: str
    title: str
    byline: str
    url: str
    share: float | None
    relevance: str
    abstract: str


def list_paper_entries(page: Page) -> Sequence[PaperEntry]:
    """List the papers in the order in which the experts saw them."""
    return [
        _build_paper_entry(page, number, paper)
        for number, paper in enumerate(page.document.get("papers") or [], start=1)
    ]


def _build_paper_entry(page: Page, number: int, paper: Mapping[str, Any]) -> PaperEntry:
    share = paper["relevance"]
    figure = "" if share is None else f"{share:.2f}"
    year_parts = [str(paper["year"])] if paper["year"] else []
    return PaperEntry(
        anchor=f"paper-{number}",
        id=paper["id"],
        title=paper["title"],
        byline=", ".join([*paper["authors"], *year_parts]),
        url=paper["url"] if paper["url"].lower().startswith(("http://", "https://")) else "",
        share=share,
        relevance=load_phrases("panel").translate_phrase(page.language, f"relevance.{paper['ranking']}", figure=figure),
        abstract=paper["abstract"],
    )
