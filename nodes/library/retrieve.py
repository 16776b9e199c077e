"""Find the papers a question is answered from, and lay them on the table."""

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from ...prompts import term
from ...state.budget import check_budget, is_spent
from ...state.ending import Ending, Evidence
from ...state.incident import Call, Incident
from ...state.panel import PanelRules
from ...state.papers import (
    CUT,
    Citation,
    Found,
    Indexed,
    Paper,
    Shelf,
    cited_ids,
    distinct,
    excerpt,
    misquoted,
    outside,
    quotations,
    shares,
    tokens_in,
    unknown,
)
from ...state.papers.channels import Asked, LibraryUpdate, PanelStage, PanelTurn, Seeking
from ...state.positions import asked_at_first
from ...state.refused import Refused
from ...state.statement import Exhibit
from ..clock import stamp
from ..closing import concluded
from ..closing_proof import Proof, note
from ..database import IN_MEMORY, default_database
from ..models.recording import record, replayed
from .library import open_library


def by_papers(papers: list[Paper], language: str, said: Sequence[str] = ()) -> Proof:
    """Citations name papers on the table, and quoted words stand in the paper cited for them, or were `said`."""
    shelf = Shelf(papers, said)

    def strangers(text: str) -> list[Citation]:
        """Citations of other papers; whom a quoted sentence names with a year is the affair of its paper."""
        found = unknown(text, papers)
        dated = set(outside([one for one in found if not one.id], quotations(text, papers)))
        return [one for one in found if one.id or one in dated]

    def faults(text: str) -> str:
        cited = dict.fromkeys(one.shown for one in strangers(text))
        invented = dict.fromkeys(f"“{one.words}”" for one in misquoted(text, shelf))
        known = ", ".join(f"[@{paper.id}]" for paper in papers)
        told = [term(language, "again", "no_such_paper", cited=", ".join(cited), papers=known)] if cited else []
        told += [term(language, "again", "no_such_passage", quotes="; ".join(invented))] if invented else []
        return " ".join(told)

    def marked(text: str) -> tuple[str, list[Incident]]:
        cited, invented = strangers(text), misquoted(text, shelf)
        cites = dict.fromkeys(term(language, "panel", "cites_unknown", id=one.id or one.shown) for one in cited)
        quotes = dict.fromkeys(term(language, "panel", "misquotes", words=one.words) for one in invented)
        notes = [note(what, "citation", "marked") for what in cites]
        notes += [note(what, "quotation", "marked") for what in quotes]
        if papers and not cited_ids(text, papers):
            notes.append(note(term(language, "noted", "no_paper_cited"), "no_citation", "kept"))
        return _with(text, [*((one.end, "?") for one in cited), *((one.end, " [?]") for one in invented)]), notes

    return Proof(faults, marked)


def query(state: Asked) -> str:
    """The question a panel deliberates on."""
    return state["query"]


def _with(text: str, marks: list[tuple[int, str]]) -> str:
    """The text with each mark put in at its place."""
    pieces, begin = list[str](), 0
    for place, mark in sorted(marks):
        pieces += [text[begin:place], mark]
        begin = place
    return "".join([*pieces, text[begin:]])


SWITCH = "ENABLE_AGENT_DISCUSSIONS"
YES, NO = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


async def retrieve(state: Seeking, rules: PanelRules) -> LibraryUpdate:
    """Take the papers given, else search the library; show of each what fits and matches best.

    Reads query, papers, found, participants, rules; writes papers, found, exhibits, calls of an embedding model, files
    that could not be read as incidents, and in the rules whether there is a discussion.
    """
    discuss = holds_panel(rules)
    if discuss:
        check_budget(rules, before=asked_at_first(rules, state["participants"]))
    papers, found = distinct(state["papers"]), state.get("found")
    news = LibraryUpdate()
    if not papers and found is None:
        found, calls, broken = await search(state["query"], rules)
        papers = [hit.paper for hit in found.hits]
        news = LibraryUpdate(calls=calls, incidents=[_left_out(one, rules.language) for one in broken])
    shown = await asyncio.to_thread(exhibits, papers, state["query"], rules)
    news |= LibraryUpdate(found=found and found.listed(), exhibits=shown)
    if rules.discuss is None:
        news |= LibraryUpdate(rules=rules.settled(discuss=discuss))
    return news if papers == state["papers"] else news | LibraryUpdate(papers=papers)


async def search(query: str, rules: PanelRules) -> tuple[Found, list[Call], list[Indexed]]:
    """What library or sources hold for the question, over the threshold, the requests made to rank it, and what of the
    sources could not be read."""
    request = {"purpose": "search", "query": query, "n_papers": rules.n_papers}
    held = cast(dict[str, Any], await replayed(rules, request)) or await _searched(query, rules)
    await record(rules, request, held)
    calls = [Call.model_validate(one | {"replayed": bool(rules.replay)}) for one in held["calls"]]
    return Found.model_validate(held["found"]), calls, [Indexed.model_validate(one) for one in held["broken"]]


async def _searched(query: str, rules: PanelRules) -> dict[str, Any]:
    """What library or sources give, as a recording holds it."""
    place = IN_MEMORY if rules.sources else rules.library or default_database()
    async with open_library(place, rules.embeddings or None) as library:
        library.within(lambda calls: not is_spent(rules, calls, asked=0))
        read = [one async for one in library.add(rules.sources)] if rules.sources else []
        found = await library.search(query, rules.n_papers, rules.min_similarity_threshold)
    broken = [one for one in read if one.status == "broken"]
    return {
        "found": found.model_dump(mode="json"),
        "calls": [one.model_dump(mode="json") for one in library.calls],
        "broken": [one.model_dump(mode="json") for one in broken],
    }


def _left_out(one: Indexed, language: str) -> Incident:
    """What the record says of a file, or a record in it, that could not be read."""
    what = term(language, "panel", "left_out", path=Path(one.path).name, reason=one.reason)
    return Incident(where="retrieve", what=what, kind="unread", tries=0, at=stamp(), category="validation")


def exhibits(papers: list[Paper], query: str, rules: PanelRules) -> list[Exhibit]:
    """What is shown of each paper: its abstract, then the passages that match best.

    All together take at most half of the context; papers that need less than their share leave it to the others.
    """
    shown = [Exhibit(id=one.id, title=_line(one), text=_shown(one, rules.paper_chars, query)) for one in papers]
    wants = [tokens_in(exhibit.fenced) for exhibit in shown]
    rooms = shares(wants, rules.context_tokens // 2)
    return [
        exhibit if room >= want else _cut(exhibit, paper, room, query)
        for exhibit, paper, want, room in zip(shown, papers, wants, rooms, strict=True)
    ]


def _cut(exhibit: Exhibit, paper: Paper, room: int, query: str) -> Exhibit:
    """As much of a paper as takes `room` tokens with its fence."""
    text, fence = exhibit.text, Exhibit(id=exhibit.id, title=exhibit.title, text="").fenced
    room = max(1, room - tokens_in(fence))
    while len(text) > len(CUT) and (taken := tokens_in(text)) > room:
        text = _shown(paper, max(len(CUT), len(text) * room // (taken + 1)), query)
    return Exhibit(id=exhibit.id, title=exhibit.title, text=text)


def _shown(paper: Paper, limit: int, query: str) -> str:
    return excerpt(paper, limit, query) or paper.title[:limit]


def _line(paper: Paper) -> str:
    by = ", ".join(paper.authors[:3]) + (" et al." if len(paper.authors) > 3 else "")
    made = ", ".join(part for part in (by, str(paper.year or "")) if part)
    return f"{paper.title} ({made})" if made else paper.title


async def say_nothing_found(state: PanelStage) -> LibraryUpdate:
    """Say plainly that no paper reached the threshold, or that there is none; no model is asked to pretend otherwise.

    Reads found, rules, round, turn, record; writes outcome and synthesis.
    """
    found = state["found"]
    assert found is not None
    bound = found.threshold if found.searched else None
    evidence = Evidence(figure=found.best, threshold=bound, searched=found.searched)
    ending = Ending(reason="no_papers_found", strategy=found.ranking, evidence=evidence)
    outcome = concluded(state, ending, state["calls"], state["incidents"], True)
    return LibraryUpdate(outcome=outcome, synthesis=nothing_found(found, state["rules"].language))


def nothing_found(found: Found, language: str) -> str:
    """What a search that found nothing over the threshold amounts to, in words."""
    if not found.searched:
        return term(language, "panel", "empty_library")
    best = "–" if found.best is None else f"{found.best:.2f}"
    values = {"searched": found.searched, "threshold": f"{found.threshold:.2f}", "best": best}
    return term(language, "panel", "nothing_found", **values)


def speakers_papers(state: PanelTurn) -> Proof:
    """What an expert says has to show the same."""
    return _proof(state)


def papers_on_the_table(state: PanelStage) -> Proof:
    """The text cites and quotes papers that are on the table; it may also quote what was asked and said."""
    return _proof(state)


def _proof(state: PanelStage | PanelTurn) -> Proof:
    said = [state["topic"], state["material"], *(one.content for one in state["history"])]
    return by_papers(state["papers"], state["rules"].language, said)


def holds_panel(rules: PanelRules) -> bool:
    """Whether experts discuss, or one direct answer is given; the environment decides where the rules do not.

    Raises `Refused` for a switch that is neither on nor off.
    """
    if rules.discuss is not None:
        return rules.discuss
    said = os.environ.get(SWITCH, "").strip() or "true"
    if said.lower() not in YES + NO:
        raise Refused(SWITCH, said, "write true or false")
    return said.lower() in YES


def after_retrieval(state: PanelStage, rules: PanelRules) -> str:
    """From the papers to the panel, to a direct answer, or to saying that there are none."""
    if not state["papers"]:
        return "no papers"
    return "discuss" if holds_panel(rules) else "answer directly"


def closing_template(state: PanelStage) -> str:
    """The template of the closing text: a conclusion from the discussion, or a direct answer without one."""
    return "synthesize" if state["round"] else "answer"
