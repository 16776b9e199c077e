"""Papers of a panel, each with its relevance."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...report import Page
from .answer_blocks import format_relevance


@dataclass(frozen=True)
class PaperEntry:
    """Paper as the page shows it.

    `share`: relevance, 0 to 1, or `None` for a user's paper. `url`: a web address, or empty.
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
    entries = []
    for number, paper in enumerate(page.document["papers"], start=1):
        entries.append(
            PaperEntry(
                anchor=f"paper-{number}",
                id=paper["id"],
                title=paper["title"],
                byline=", ".join([*paper["authors"], *([str(paper["year"])] if paper["year"] else [])]),
                url=paper["url"] if paper["url"].lower().startswith(("http://", "https://")) else "",
                share=paper["relevance"],
                relevance=format_relevance(paper, page.language),
                abstract=paper["abstract"],
            )
        )
    return entries
