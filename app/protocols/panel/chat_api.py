"""Function `chat_with_papers`: a panel of experts answers a question from papers.

Callers need no knowledge of LangGraph.
"""

from collections.abc import Sequence
from typing import Any

from ....nodes.node_runnables import run_blocking
from ....state.papers import SEMANTIC_THRESHOLD
from ...report import build_document
from ...run import RunOptions, RunSummary, build_request, run_and_save, summarize_run
from ..registry import get_protocol
from .hooks import parse_expert
from .result import PanelDiscussion, PanelPaper


class DefaultThreshold(float):
    """Default threshold, as a type that distinguishes it from the same number set by a caller."""


DEFAULT_THRESHOLD = DefaultThreshold(SEMANTIC_THRESHOLD)


class ChatAnswer(RunSummary):
    """Result of `chat_with_papers`. `answer`: Markdown in the output language, the conclusion first."""

    agent_discussions: PanelDiscussion
    papers: list[PanelPaper]
    answer: str


def chat_with_papers(
    query: str,
    n_papers: int = 10,
    min_similarity_threshold: float = DEFAULT_THRESHOLD,
    *,
    db: str = "",
    **settings: Any,
) -> ChatAnswer:
    """Answer a question from papers by a panel of experts.

    It also works in a running event loop.

    `n_papers` (1–50): papers from the library whose relevance (0–1) reaches the threshold. The default threshold is 0.6
    with embeddings, else the library's default. A caller's threshold applies unchanged.

    More keywords: `papers` (to read instead of the library), `experts` (names, or mappings with name, role, focus),
    `cycles` (default: 1), `output_language` (default: that of the question), `model`, `embeddings`, `library`, and
    every other setting of a panel.

    Saves the run in `db`; empty stands for the default database. Raises `InputError` for an unusable request, before
    any model call.
    """
    return run_blocking(achat_with_papers(query, n_papers, min_similarity_threshold, db=db, **settings))


async def achat_with_papers(
    query: str,
    n_papers: int = 10,
    min_similarity_threshold: float = DEFAULT_THRESHOLD,
    *,
    db: str = "",
    **settings: Any,
) -> ChatAnswer:
    """Answer a question from papers by a panel of experts, in async code.

    The arguments are those of `chat_with_papers`.
    """
    threshold = None if isinstance(min_similarity_threshold, DefaultThreshold) else min_similarity_threshold
    values = {"query": query, "n_papers": n_papers, "min_similarity_threshold": threshold, **settings}
    experts: Sequence[Any] = values.pop("experts", None) or []
    values |= {"participants": [parse_expert(entry) for entry in experts]} if experts else {}
    values = {key: value for key, value in values.items() if value is not None}
    saved_run = await run_and_save(build_request(get_protocol("panel"), values, RunOptions()), db)
    document = build_document(saved_run)
    return ChatAnswer(
        **summarize_run(saved_run),
        agent_discussions=document["agent_discussions"],
        papers=document["papers"],
        answer=document["answer"],
    )
