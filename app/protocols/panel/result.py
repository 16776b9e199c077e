"""Panel result under the panel's own keys: the discussion, the papers, and the answer."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from typing_extensions import TypedDict

from ....state import Statement
from ....state.papers import Paper, SearchResult
from ...display.plain_text import strip_controls
from ...report import render_blocks_markdown
from .answer_blocks import build_answer_blocks


class Contribution(TypedDict):
    """Contribution of one expert. `tokens_used`: prompt and completion tokens, including failed attempts."""

    round_number: int
    agent_name: str
    agent_response: str
    timestamp: str
    tokens_used: int


class PanelDiscussion(TypedDict):
    """Discussion of a panel with its start and end, in ISO 8601, UTC."""

    query: str
    final_conclusion: str
    discussion_rounds: list[Contribution]
    started_at: str
    completed_at: str


class PanelPaper(TypedDict):
    """Paper of a panel. `relevance`: 0 to 1, comparable within `ranking`; `None` for a paper of the user."""

    id: str
    title: str
    relevance: float | None
    ranking: str
    authors: list[str]
    year: int | None
    url: str
    abstract: str


def build_panel_fields(
    state: Mapping[str, Any], envelope: Mapping[str, Any], time_span: tuple[str, str]
) -> dict[str, Any]:
    """Build the fields of the document that only a panel has.

    `answer`: Markdown in the run's language. `runAnswer`: the run's answer, or `None` without a recorded one.
    `envelope`: the document keys that all protocols share. `time_span`: start and end of the run.
    """
    history: list[Statement] = state["history"]
    search_result: SearchResult | None = state.get("found")
    papers: list[Paper] = state.get("papers") or []
    relevance_by_sha = {hit.paper.sha: hit.relevance for hit in search_result.hits} if search_result else {}
    discussions = PanelDiscussion(
        query=state["query"],
        final_conclusion=envelope["synthesis"],
        discussion_rounds=[
            Contribution(
                round_number=statement.turn,
                agent_name=statement.speaker,
                agent_response=statement.content,
                timestamp=_format_seconds(statement.at),
                tokens_used=statement.tokens,
            )
            for statement in history
        ],
        started_at=_format_seconds(time_span[0]),
        completed_at=_format_seconds(time_span[1]),
    )
    keys = {
        "agent_discussions": discussions,
        "papers": [
            PanelPaper(
                id=paper.id,
                title=paper.title,
                relevance=relevance_by_sha.get(paper.sha),
                ranking=search_result.ranking if search_result and paper.sha in relevance_by_sha else "given",
                authors=paper.authors,
                year=paper.year,
                url=paper.url,
                abstract=paper.abstract,
            )
            for paper in papers
        ],
        "answer": "",
        "positions": state.get("positions") or [],
        "runAnswer": state.get("answer"),
    }
    answer = render_blocks_markdown(build_answer_blocks({**envelope, **keys}))
    return {**keys, "answer": f"{strip_controls(answer)}\n"}


def _format_seconds(time: str) -> str:
    """Format a recorded time as ISO 8601 in UTC, to the second; empty for an empty time."""
    return datetime.fromisoformat(time).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if time else ""
