"""Find the papers a question is answered from, and lay them on the table."""

import asyncio
import os

from ..prompts import term
from ..state.deliberation import PanelStage, Seeking, Update
from ..state.ending import Ending, Evidence
from ..state.found import Found
from ..state.paper import Paper, distinct, excerpt
from ..state.rules import PanelRules, Rules
from ..state.statement import Exhibit
from .database import default_database
from .library import open_library
from .proof import Proof, by_papers
from .synthesize import concluded


async def retrieve(state: Seeking) -> Update:
    """Take the papers given, else search the library; show of each what fits and matches best.

    Reads query, papers, rules; writes papers, found, exhibits.
    """
    rules = state["rules"]
    assert isinstance(rules, PanelRules)
    if state["papers"]:
        papers, found = distinct(state["papers"]), None
    else:
        found = await search(state["query"], rules)
        papers = [hit.paper for hit in found.hits]
    shown = await asyncio.to_thread(exhibits, papers, state["query"], rules)
    return Update(papers=papers, found=found, exhibits=shown)


async def search(query: str, rules: PanelRules) -> Found:
    """What the library holds for the question, over the threshold."""
    place = rules.library or default_database()
    async with open_library(place, rules.embeddings or None) as library:
        return await library.search(query, rules.n_papers, rules.min_similarity_threshold)


def exhibits(papers: list[Paper], query: str, rules: PanelRules) -> list[Exhibit]:
    """What is shown of each paper: its abstract, then the passages that match best, within a fair share of the room."""
    share = min(rules.paper_chars, rules.papers_chars // max(1, len(papers)))
    return [
        Exhibit(id=paper.id, title=_line(paper), text=excerpt(paper, share, query) or paper.title) for paper in papers
    ]


def _line(paper: Paper) -> str:
    by = ", ".join(paper.authors[:3]) + (" et al." if len(paper.authors) > 3 else "")
    made = ", ".join(part for part in (by, str(paper.year or "")) if part)
    return f"{paper.title} ({made})" if made else paper.title


async def say_nothing_found(state: PanelStage) -> Update:
    """Say plainly that no paper reached the threshold; no model is asked to pretend otherwise.

    Reads found, rules, record; writes outcome and synthesis.
    """
    language, found = state["rules"].language, state["found"]
    assert found is not None
    best = "–" if found.best is None else f"{found.best:.2f}"
    values = {"searched": found.searched, "threshold": f"{found.threshold:.2f}", "best": best}
    evidence = Evidence(figure=found.best, threshold=found.threshold, note=f"{found.ranking}, {found.searched} papers")
    ending = Ending(reason="no_papers_found", strategy=found.ranking, evidence=evidence)
    outcome = concluded(state, ending, state["calls"], state["incidents"], True)
    return Update(outcome=outcome, synthesis=term(language, "panel", "nothing_found", **values))


def papers_on_the_table(state: PanelStage) -> Proof:
    """The text cites and quotes papers that are on the table."""
    return by_papers(state["papers"], state["rules"].language)


def holds_panel(rules: Rules) -> bool:
    """Whether experts discuss, or one direct answer is given; the environment decides where the rules do not."""
    if isinstance(rules, PanelRules) and rules.discuss is not None:
        return rules.discuss
    return os.environ.get("ENABLE_AGENT_DISCUSSIONS", "true").strip().lower() not in ("false", "0", "no", "off")


def after_retrieval(state: PanelStage) -> str:
    """From the papers to the panel, to a direct answer, or to saying that there are none."""
    if not state["papers"]:
        return "no papers"
    return "discuss" if holds_panel(state["rules"]) else "answer directly"


def closing_template(state: PanelStage) -> str:
    """The template of the closing text: a conclusion from the discussion, or a direct answer without one."""
    return "synthesize" if state["history"] or holds_panel(state["rules"]) else "answer"
