"""What a panel gives back in its own spelling: the discussion, the papers, and the answer to read."""

from collections.abc import Mapping
from typing import Any

from typing_extensions import TypedDict

from ...state.papers import Found, Paper
from ...state.positions import Position, RunAnswer
from ...state.statement import Statement
from .answer import answer


class Contribution(TypedDict):
    """One expert's contribution. `tokens_used`: prompt and completion tokens, failed tries included."""

    round_number: int
    agent_name: str
    agent_response: str
    timestamp: str
    tokens_used: int


class Discussions(TypedDict):
    """The whole discussion. Times are ISO 8601, UTC."""

    query: str
    final_conclusion: str
    discussion_rounds: list[Contribution]
    started_at: str
    completed_at: str


class PaperRead(TypedDict):
    """A paper on the table. `relevance`: 0 to 1, comparable within `ranking`; none where the paper was given."""

    id: str
    title: str
    relevance: float | None
    ranking: str
    authors: list[str]
    year: int | None
    url: str
    abstract: str


class PanelAnswer(TypedDict):
    """A panel's own keys. `rounds`: how often the experts had the word; `answer`: Markdown in the run's language.

    `runAnswer`: what the run answers; none: nothing on record gives an answer.
    """

    agent_discussions: Discussions
    papers: list[PaperRead]
    answer: str
    rounds: int
    positions: list[Position]
    runAnswer: RunAnswer | None


def panel_keys(state: Mapping[str, Any], envelope: Mapping[str, Any], span: tuple[str, str]) -> dict[str, Any]:
    """The keys of `PanelAnswer`; `envelope` is what every protocol's document begins with, `span` beginning and end."""
    papers = papers_read(state.get("papers") or [], state.get("found"))
    discussions = Discussions(
        query=state["query"],
        final_conclusion=envelope["synthesis"],
        discussion_rounds=[_contribution(one) for one in state["history"]],
        started_at=span[0],
        completed_at=span[1],
    )
    rounds = max((one.round for one in state["history"]), default=0)
    found = PanelAnswer(
        agent_discussions=discussions,
        papers=papers,
        answer="",
        rounds=rounds,
        positions=state.get("positions") or [],
        runAnswer=state.get("answer"),
    )
    return {**found, "answer": answer({**envelope, **found})}


def _contribution(one: Statement) -> Contribution:
    return Contribution(
        round_number=one.turn,
        agent_name=one.speaker,
        agent_response=one.content,
        timestamp=one.at,
        tokens_used=one.tokens,
    )


def papers_read(papers: list[Paper], found: Found | None) -> list[PaperRead]:
    """The papers with their relevance, in the order they were shown."""
    relevance = {hit.paper.sha: hit.relevance for hit in found.hits} if found else {}
    return [
        PaperRead(
            id=one.id,
            title=one.title,
            relevance=relevance.get(one.sha),
            ranking=found.ranking if found and one.sha in relevance else "given",
            authors=one.authors,
            year=one.year,
            url=one.url,
            abstract=one.abstract,
        )
        for one in papers
    ]
