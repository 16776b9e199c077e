"""Panel result under its own keys: discussion, papers, and the answer in the run's language."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from typing_extensions import TypedDict

from ....nodes.outcome import get_offline_label
from ....prompts import load_phrases
from ....state import Statement, clip_text, is_cjk
from ....state.papers import Paper, SearchResult
from ...display import flatten_line, format_basis, format_evidence, neutralize_synthesis, strip_controls
from ...report import Block, BlockQuote, BulletList, Heading, MarkdownText, Paragraph, render_blocks_markdown


class Contribution(TypedDict):
    """Statements of one expert in a panel.

    `tokens_used`: prompt and completion tokens, including failed attempts.
    """

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
    """Paper in a panel's document.

    `relevance`: 0 to 1, comparable within `ranking`; `None` for a paper of the user.
    """

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
    """Return the fields of a document that only a panel has.

    `envelope`: the document keys that all protocols share. `time_span`: start and end of the run. In the result,
    `answer` is Markdown in the run's language, and `runAnswer` is the run's answer, or `None` without a recorded one.
    """
    history: list[Statement] = state["history"]
    search_result: SearchResult | None = state.get("found")
    papers: list[Paper] = state.get("papers") or []
    relevance_by_sha = {hit.paper.sha: hit.relevance for hit in search_result.hits} if search_result else {}
    keys = {
        "agent_discussions": PanelDiscussion(
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
        ),
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
    return datetime.fromisoformat(time).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if time else ""


PREVIEW_LENGTH, PREVIEW_LENGTH_CJK = 160, 80
"""Maximum characters of a contribution's preview, and of one in Chinese, Japanese or Korean."""

_MARKDOWN_MARKS = re.compile(r"(?m)^[^\S\n]*(?:#{1,6}\s+|>\s?|[-*+]\s+|\d+[.、]\s*)|[*`]{1,3}|\b_{1,3}\B|\B_{1,3}\b")
_CITATION = re.compile(r"(\[@[^\s\[\]()<>\\]+\](?![(\[:]))")
"""Pattern of a citation that Markdown cannot read as a link."""


def build_answer_blocks(document: Mapping[str, Any], is_full: bool = False) -> list[Block]:
    """Return the text of a panel's result as blocks.

    They are title, question, conclusion, contributions, and papers with their relevance. `document`: a panel's
    document. `is_full`: whether to show complete contributions instead of previews.
    """
    language, papers = document["language"], document["papers"]
    translate = partial(_translate_phrase, language)
    blocks: list[Block] = [Heading(translate("title"), 1)]
    blocks += [BlockQuote([Paragraph(get_offline_label(language, document["model"]))])] if document["rehearsal"] else []
    query = _escape_inline(document["agent_discussions"]["query"])
    blocks += [
        Paragraph(MarkdownText(f"**{translate('question')}{translate('colon').rstrip()}** {query}")),
        Heading(translate("conclusion")),
        Paragraph(MarkdownText(neutralize_synthesis(document["synthesis"]) or _escape_inline(document["headline"]))),
        Heading(translate("discussion")),
    ]
    contributions = document["agent_discussions"]["discussion_rounds"]
    if counts := Counter(contribution["agent_name"] for contribution in contributions):
        experts_text = translate("experts", count=len(counts)) if len(counts) > 1 else translate("one_expert")
        round_count = max(counts.values())
        rounds_text = translate("rounds", count=round_count) if round_count > 1 else translate("one_round")
        blocks.append(Paragraph(translate("held", experts=experts_text, rounds=rounds_text, count=counts.total())))
        blocks += _build_contributions(document, contributions, is_full)
    else:
        key = "direct" if document["terminationReason"] == "answered_directly" else "not_held"
        blocks.append(Paragraph(translate(key)))
    blocks += [
        Heading(translate("papers", count=len(papers))),
        BulletList([MarkdownText(_format_paper(paper, language)) for paper in papers]),
    ]
    # headline, evidence and faulty citations, if an incident lowered the quality
    degraded_incidents = [incident for incident in document["incidents"] if incident["severity"] == "degraded"]
    if degraded_incidents or is_full:
        evidence = format_evidence(document["evidence"], language) if document["evidence"] else ""
        texts = [document["headline"] if document["synthesis"] else "", evidence, format_basis(document)]
        faults = [entry["what"] for entry in degraded_incidents if entry["kind"] in ("citation", "quotation")]
        remarks: list[Block] = [Paragraph(MarkdownText(_escape_inline(text))) for text in texts if text]
        remarks += [BulletList([MarkdownText(_escape_inline(fault)) for fault in faults])] if faults else []
        blocks += [Heading(translate("record")), *remarks] if remarks else []
    return blocks


def _translate_phrase(language: str, key: str, **values: object) -> str:
    return load_phrases("panel").translate_phrase(language, f"answer.{key}", **values)


def _build_contributions(
    document: Mapping[str, Any], contributions: Sequence[Mapping[str, Any]], is_full: bool
) -> list[Block]:
    """Return blocks with a preview of each expert's statements or, with `is_full`, all statements."""
    translate, labels = partial(_translate_phrase, document["language"]), dict[str, str]()
    for participant in document["participants"]:
        name, role = _escape_inline(participant["name"]), _escape_inline(participant["role"])
        labels[participant["name"]] = translate("expert", name=name, role=role) if role else f"**{name}**"
    if is_full:
        blocks: list[Block] = []
        for entry in contributions:
            label = MarkdownText(f"{entry['round_number']}. {labels[entry['agent_name']]}")
            blocks += [Heading(label, 3), Paragraph(MarkdownText(neutralize_synthesis(entry["agent_response"])))]
        return blocks
    previews = {entry["agent_name"]: format_preview(entry["agent_response"]) for entry in contributions}
    silence, colon = translate("silent"), translate("colon")
    lines = [f"{label}{colon}{previews.get(name) or silence}" for name, label in labels.items()]
    return [BulletList([*map(MarkdownText, lines)], is_numbered=True)]


def _format_paper(paper: Mapping[str, Any], language: str) -> str:
    authors = ", ".join(paper["authors"][:3]) + (" et al." if len(paper["authors"]) > 3 else "")
    byline = _translate_phrase(language, "comma").join(filter(None, (authors, str(paper["year"] or ""))))
    authorship = _translate_phrase(language, "made", made=_escape_inline(byline)) if byline else ""
    return f"[@{paper['id']}] {_escape_inline(paper['title'])}{authorship} — {format_relevance(paper, language)}"


def format_relevance(paper: Mapping[str, Any], language: str) -> str:
    """Return the relevance of a paper in words."""
    figure = "" if paper["relevance"] is None else f"{paper['relevance']:.2f}"
    return load_phrases("panel").translate_phrase(language, f"relevance.{paper['ranking']}", figure=figure)


def format_preview(text: str) -> str:
    """Return the start of a statement on one line, without Markdown."""
    line = " ".join(_MARKDOWN_MARKS.sub("", text).split())
    return _escape_inline(clip_text(line, PREVIEW_LENGTH_CJK if is_cjk(line) else PREVIEW_LENGTH))


def _escape_inline(text: str) -> str:
    """Return a text with Markdown characters escaped, for use inside a line. Citations stay unchanged."""
    parts = _CITATION.split(flatten_line(text))
    parts[::2] = [re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)
