"""Results of the paper library: indexed files, and papers found by a search."""

from typing import Annotated, Literal

from pydantic import Field

from ..frozen_models import FrozenModel
from .paper import Paper

SEMANTIC_THRESHOLD = 0.6
"""Default minimum relevance, (1 + cosine) / 2, of an embedding model's ranking."""
LEXICAL_THRESHOLD = 0.1
"""Default minimum relevance of a ranking by shared terms. The formula is in `papers.bm25`.

A paper of average length reaches this if it contains slightly more than a fifth of the query's terms, once each. Rare
terms weigh more.
"""

Relevance = Annotated[float, Field(ge=0, le=1)]
RankingMethod = Literal["semantic", "lexical"]


class IndexedPaper(FrozenModel):
    """Result of reading a paper from a file: the paper, or the fault if the file is unreadable."""

    path: str = Field(description="Path of the file.")
    status: Literal["added", "replaced", "known", "broken"] = Field(
        description="Result: added, replaced (an older version), known (same content) or broken."
    )
    id: str = Field(default="", description="Id of the paper; empty: broken.")
    reason: str = Field(default="", description="Fault of a broken file.")


class SearchHit(FrozenModel):
    """Paper found by a search."""

    paper: Paper = Field(description="Paper with its full text.")
    relevance: Relevance = Field(description="Relevance to the query, comparable only within one ranking.")


class SearchResult(FrozenModel):
    """Result of a search.

    `best`: highest relevance of any paper. Without hits, it is below the threshold.
    """

    hits: list[SearchHit] = Field(default_factory=list, description="Papers at or above the threshold, best first.")
    ranking: RankingMethod = Field(description="Ranking method.")
    threshold: Relevance = Field(description="Minimum relevance of a hit.")
    best: Relevance | None = Field(default=None, description="Highest relevance; none: empty library.")
    searched: int = Field(default=0, ge=0, description="Number of papers in the library.")
    unembedded: int = Field(default=0, ge=0, description="Number of papers without a vector in a read-only database.")

    def without_texts(self) -> "SearchResult":
        """Return the result without the papers' abstracts and texts, because the state already holds them."""
        empty_fields = {"abstract": "", "text": ""}
        hits = [hit.model_copy(update={"paper": hit.paper.model_copy(update=empty_fields)}) for hit in self.hits]
        return self.model_copy(update={"hits": hits})
