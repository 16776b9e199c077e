"""What the paper library answers: what became of files, and what a search found."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from .paper import Paper

SEMANTIC_THRESHOLD = 0.6
"""Default least relevance, (1 + cosine) / 2, when an embedding model ranks."""
LEXICAL_THRESHOLD = 0.1
"""Default least relevance when shared terms rank, by the formula of `moot.nodes.library.lexical`.

A good fifth of what the query asks, weighted by rarity, found once.
"""

Relevance = Annotated[float, Field(ge=0, le=1)]
Ranking = Literal["semantic", "lexical"]


class Indexed(BaseModel):
    """What became of one paper of a file, or of a record or file that could not be read."""

    model_config = ConfigDict(frozen=True)

    path: str = Field(description="The file.")
    status: Literal["added", "replaced", "known", "broken"] = Field(
        description="known: the library has the same content; replaced: an older paper gave way."
    )
    id: str = Field(default="", description="What cites it; empty when broken.")
    reason: str = Field(default="", description="Why it is broken.")


class Hit(BaseModel):
    """A paper that was found."""

    model_config = ConfigDict(frozen=True)

    paper: Paper = Field(description="The paper, full text included.")
    relevance: Relevance = Field(description="How well it answers the query; comparable within one ranking only.")


class Found(BaseModel):
    """What a search gave. No hits: nothing reached the threshold, and `best` says how near it came."""

    model_config = ConfigDict(frozen=True)

    hits: list[Hit] = Field(default_factory=list, description="Papers at or over the threshold, best first.")
    ranking: Ranking = Field(description="How they were ranked.")
    threshold: Relevance = Field(description="The least relevance that was asked for.")
    best: Relevance | None = Field(default=None, description="Highest relevance seen; none in an empty library.")
    searched: int = Field(default=0, ge=0, description="How many papers the library holds.")
    unembedded: int = Field(
        default=0, ge=0, description="How many of them have no vector, in a database that may only be read."
    )

    def listed(self) -> "Found":
        """The same with titles instead of papers: enough to say what was found beside the papers themselves."""
        bare = {"abstract": "", "text": ""}
        hits = [hit.model_copy(update={"paper": hit.paper.model_copy(update=bare)}) for hit in self.hits]
        return self.model_copy(update={"hits": hits})
