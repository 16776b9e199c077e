"""Node that selects the papers on which a panel bases its answer."""

import asyncio
import os
from pathlib import Path
from typing import Any, cast

from ...models import check_call, find_embedding_spec, record_reply, replay_reply
from ...papers.library import search_library
from ...prompts import get_term
from ...state import Call, Exhibit, Incident, InputError, PanelSettings, check_budget, count_initial_questions
from ...state.papers import (
    OMISSION_MARK,
    IndexedPaper,
    LibraryUpdate,
    PanelClosingState,
    PanelStageState,
    Paper,
    PaperSearchState,
    QueryState,
    SearchResult,
    estimate_tokens,
    make_excerpt,
    remove_duplicates,
    split_capacity,
)
from ...storage import get_timestamp
from ..outcome import build_outcome


def query(state: QueryState) -> str:
    """Return the question, which is the subject of a panel."""
    return state["query"]


DISCUSSION_SWITCH = "ENABLE_AGENT_DISCUSSIONS"
YES_VALUES, NO_VALUES = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


async def retrieve(state: PaperSearchState, settings: PanelSettings) -> LibraryUpdate:
    """Take the papers from the input or the library, and select the most relevant excerpts that fit.

    Reads query, papers, found, participants, settings; writes papers, found, exhibits, settings (with the choice of a
    discussion), calls (to an embedding model), and incidents (for unreadable files).
    """
    is_discussed = has_discussion(settings)
    if is_discussed:
        check_budget(settings, position_calls=count_initial_questions(settings, state["participants"]))
    papers, result = remove_duplicates(state["papers"]), state.get("found")
    update = LibraryUpdate()
    if not papers and result is None:
        result, calls, broken_files = await run_search(state["query"], settings)
        papers = [hit.paper for hit in result.hits]
        update = LibraryUpdate(
            calls=calls,
            incidents=[
                Incident(
                    where="retrieve",
                    what=get_term(
                        settings.language, "panel", "left_out", path=Path(file.path).name, reason=file.reason
                    ),
                    kind="unread",
                    attempts=0,
                    at=get_timestamp(),
                    category="validation",
                )
                for file in broken_files
            ],
        )
    exhibits = await asyncio.to_thread(build_exhibits, papers, state["query"], settings)
    update |= LibraryUpdate(found=result and result.without_texts(), exhibits=exhibits)
    if settings.hold_discussion is None:
        update |= LibraryUpdate(settings=settings.with_choices(hold_discussion=is_discussed))
    return update if papers == state["papers"] else update | LibraryUpdate(papers=papers)


async def run_search(query: str, settings: PanelSettings) -> tuple[SearchResult, list[Call], list[IndexedPaper]]:
    """Search the papers that the settings name, or replay a recorded search.

    Return the result, the requests to the embedding model, and the papers that could not be read.
    """
    request = {"purpose": "search", "query": query, "n_papers": settings.n_papers}
    content = cast(dict[str, Any], await replay_reply(settings, request)) or await _search_library(query, settings)
    await record_reply(settings, request, content)
    return (
        SearchResult.model_validate(content["found"]),
        [Call.model_validate(values | {"replayed": bool(settings.replay)}) for values in content["calls"]],
        [IndexedPaper.model_validate(values) for values in content["broken"]],
    )


async def _search_library(query: str, settings: PanelSettings) -> dict[str, Any]:
    if spec := find_embedding_spec(settings):
        check_call(settings, "embeddings", spec)
    result, calls, reports = await search_library(settings, query, settings.n_papers, settings.min_similarity_threshold)
    broken_reports = [report for report in reports if report.status == "broken"]
    return {
        "found": result.model_dump(mode="json"),
        "calls": [call.model_dump(mode="json") for call in calls],
        "broken": [report.model_dump(mode="json") for report in broken_reports],
    }


def build_exhibits(papers: list[Paper], query: str, settings: PanelSettings) -> list[Exhibit]:
    """Build an excerpt of each paper: its abstract, then the most relevant passages.

    All excerpts together take at most half of the context. If a paper needs less than its share, the others get the
    rest.
    """
    full_exhibits = [
        Exhibit(id=paper.id, title=_format_reference(paper), text=_make_excerpt(paper, settings.paper_chars, query))
        for paper in papers
    ]
    needs = [estimate_tokens(exhibit.fenced_text) for exhibit in full_exhibits]
    limits = split_capacity(needs, settings.context_tokens // 2)
    return [
        exhibit if limit >= need else _shorten_exhibit(exhibit, paper, limit, query)
        for exhibit, paper, need, limit in zip(full_exhibits, papers, needs, limits, strict=True)
    ]


def _shorten_exhibit(exhibit: Exhibit, paper: Paper, limit: int, query: str) -> Exhibit:
    text, fence = exhibit.text, Exhibit(id=exhibit.id, title=exhibit.title, text="").fenced_text
    limit = max(1, limit - estimate_tokens(fence))
    while len(text) > len(OMISSION_MARK) and (tokens := estimate_tokens(text)) > limit:
        text = _make_excerpt(paper, max(len(OMISSION_MARK), len(text) * limit // (tokens + 1)), query)
    return Exhibit(id=exhibit.id, title=exhibit.title, text=text)


def _make_excerpt(paper: Paper, limit: int, query: str) -> str:
    return make_excerpt(paper, limit, query) or paper.title[:limit]


def _format_reference(paper: Paper) -> str:
    authors = ", ".join(paper.authors[:3]) + (" et al." if len(paper.authors) > 3 else "")
    details = ", ".join(part for part in (authors, str(paper.year or "")) if part)
    return f"{paper.title} ({details})" if details else paper.title


async def say_nothing_found(state: PanelClosingState) -> LibraryUpdate:
    """Write a fixed text that no paper is relevant enough, or that the library is empty.

    Reads found, settings, round, turn, record, decision; writes ending, outcome and synthesis.
    """
    result, decision, language = state["found"], state["decision"], state["settings"].language
    assert result is not None
    assert decision is not None
    assert decision.ending is not None
    outcome = build_outcome(state, decision.ending, state["calls"], state["incidents"], True)
    best_score = "–" if result.best is None else f"{result.best:.2f}"
    values = {"searched": result.searched, "threshold": f"{result.threshold:.2f}", "best": best_score}
    text = get_term(language, "panel", "nothing_found", **values)
    if not result.searched:
        text = get_term(language, "panel", "empty_library")
    return LibraryUpdate(ending=decision.ending, outcome=outcome, synthesis=text)


def has_discussion(settings: PanelSettings) -> bool:
    """Return whether the experts discuss before the answer.

    If the settings leave it open, an environment variable decides. Raises `InputError` if the variable is neither on
    nor off.
    """
    if settings.hold_discussion is not None:
        return settings.hold_discussion
    value = os.environ.get(DISCUSSION_SWITCH, "").strip() or "true"
    if value.lower() not in YES_VALUES + NO_VALUES:
        raise InputError(DISCUSSION_SWITCH, value, "write true or false")
    return value.lower() in YES_VALUES


def choose_closing_template(state: PanelStageState) -> str:
    """Return the name of the template for the final text: a conclusion of the discussion, or an answer."""
    return "synthesize" if state["round"] else "answer"
