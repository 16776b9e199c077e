"""`chat_with_papers`: a question answered from papers by a panel of experts, with no knowledge of graphs needed."""

from collections.abc import Sequence
from typing import Any

from ...nodes.step import wait_for
from ...state.papers import SEMANTIC_THRESHOLD
from ..document import document
from ..kept import Standing, kept, standing
from ..options import Knobs
from ..protocols import protocol
from ..request import Request, request
from .experts import expert
from .result import Discussions, PaperRead


class Usual(float):
    """The default of a threshold: it is told from the same figure where that is given."""


USUAL = Usual(SEMANTIC_THRESHOLD)


class ChatAnswer(Standing):
    """What `chat_with_papers` gives back. `answer`: Markdown in the output language, the conclusion first."""

    agent_discussions: Discussions
    papers: list[PaperRead]
    answer: str


def chat_with_papers(
    query: str,
    n_papers: int = 10,
    min_similarity_threshold: float = USUAL,
    *,
    db: str = "",
    **settings: Any,
) -> ChatAnswer:
    """Have experts discuss what papers say about `query`; usable inside a running event loop as well.

    `n_papers` (1–50) are taken from the paper library, those whose relevance (0–1) reaches the threshold; left out, it
    is 0.6 for embeddings, and the library's own where there are none; given, it is taken as it is. More keywords:
    `papers` (read these instead), `experts` (names, or mappings with name, role, focus), `cycles` (1),
    `output_language` ("zh"), `model`, `embeddings`, `library`, and every other knob of a panel. The run is saved in
    `db`; none: the database of all runs. Raises `Refused` for what cannot be asked, before any model call.
    """
    return wait_for(achat_with_papers(query, n_papers, min_similarity_threshold, db=db, **settings))


async def achat_with_papers(
    query: str,
    n_papers: int = 10,
    min_similarity_threshold: float = USUAL,
    *,
    db: str = "",
    **settings: Any,
) -> ChatAnswer:
    """The same as `chat_with_papers`, to be awaited."""
    threshold = None if isinstance(min_similarity_threshold, Usual) else min_similarity_threshold
    asked = _asked({"query": query, "n_papers": n_papers, "min_similarity_threshold": threshold, **settings})
    saved = await kept(asked, db)
    found = document(saved)
    return ChatAnswer(
        **standing(saved),
        agent_discussions=found["agent_discussions"],
        papers=found["papers"],
        answer=found["answer"],
    )


def _asked(settings: dict[str, Any]) -> Request:
    experts: Sequence[Any] = settings.pop("experts", None) or []
    given = {key: value for key, value in settings.items() if value is not None}
    given |= {"participants": [expert(one) for one in experts]} if experts else {}
    return request(protocol("panel"), given, Knobs())
