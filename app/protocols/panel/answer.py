"""Panel answer as Markdown in the run's language: conclusion, participants, papers."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from ....prompts import get_term, load_phrases
from ....state.statement_check import is_cjk
from ....state.text import clip_text
from ...display.evidence import format_basis, format_evidence
from ...display.plain_text import flatten_line, strip_controls
from ...display.transcript import neutralize_synthesis

PREVIEW_LENGTH, PREVIEW_LENGTH_CJK = 160, 80
"""Characters of a contribution that its preview shows."""

PhraseFunction = Callable[..., str]
"""Function from a phrase's key to the phrase, in the run's language."""

_MARKDOWN_MARKS = re.compile(r"(?m)^[^\S\n]*(?:#{1,6}\s+|>\s?|[-*+]\s+|\d+[.、]\s*)|[*`]{1,3}|\b_{1,3}\B|\B_{1,3}\b")
_CITATION = re.compile(r"(\[@[^\s\[\]()<>\\]+\](?![(\[:]))")
"""Pattern of a citation that cannot be read as a link."""


def render_answer(document: Mapping[str, Any], *, is_full: bool = False) -> str:
    """Render title, question, conclusion, contributions, and papers with their relevance.

    `document`: a panel's document. `is_full`: show every contribution in full instead of a preview.
    """
    language = document["language"]

    def translate(key: str, **values: object) -> str:
        return load_phrases("panel").translate_phrase(language, f"answer.{key}", **values)

    discussions, papers = document["agent_discussions"], document["papers"]
    parts = [f"# {translate('title')}"]
    parts += [f"> {get_term(language, 'headline', 'rehearsal')}"] if document["rehearsal"] else []
    parts += [f"**{translate('question')}{translate('colon').rstrip()}** {_escape_inline(discussions['query'])}"]
    parts += [
        f"## {translate('conclusion')}",
        neutralize_synthesis(document["synthesis"]) or _escape_inline(document["headline"]),
    ]
    parts += [
        f"## {translate('discussion')}",
        _describe_discussion(document, translate),
        *_render_contributions(document, translate, is_full),
    ]
    parts += [f"## {translate('papers', count=len(papers))}"]
    parts += ["\n".join(_format_paper(paper, language, translate) for paper in papers)] if papers else []
    if remarks := _render_remarks(document, is_full):
        parts += [f"## {translate('record')}", remarks]
    return strip_controls("\n\n".join(part for part in parts if part)) + "\n"


def _describe_discussion(document: Mapping[str, Any], translate: PhraseFunction) -> str:
    """Describe how many experts discussed in how many rounds."""
    speakers = {contribution["agent_name"] for contribution in document["agent_discussions"]["discussion_rounds"]}
    if not speakers:
        return translate("direct" if document["terminationReason"] == "answered_directly" else "not_held")
    experts = translate("experts", count=len(speakers)) if len(speakers) > 1 else translate("one_expert")
    rounds = translate("rounds", count=document["rounds"]) if document["rounds"] > 1 else translate("one_round")
    return translate("held", experts=experts, rounds=rounds)


def _render_contributions(document: Mapping[str, Any], translate: PhraseFunction, is_full: bool) -> list[str]:
    """Render each expert with a preview of its last contribution, or every contribution in full."""
    contributions = document["agent_discussions"]["discussion_rounds"]
    roles = {participant["name"]: _escape_inline(participant["role"]) for participant in document["participants"]}
    if is_full:
        headings = [
            f"### {entry['round_number']}. {_format_expert(translate, entry['agent_name'], roles[entry['agent_name']])}"
            for entry in contributions
        ]
        return [
            part
            for heading, entry in zip(headings, contributions, strict=True)
            for part in (heading, neutralize_synthesis(entry["agent_response"]))
        ]
    previews = {
        contribution["agent_name"]: format_preview(contribution["agent_response"]) for contribution in contributions
    }
    lines = [
        _format_expert(translate, name, role) + translate("colon") + (previews.get(name) or translate("silent"))
        for name, role in roles.items()
    ]
    return ["\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))] if contributions else []


def _format_expert(translate: PhraseFunction, name: str, role: str) -> str:
    return translate("expert", name=_escape_inline(name), role=role) if role else f"**{_escape_inline(name)}**"


def _format_paper(paper: Mapping[str, Any], language: str, translate: PhraseFunction) -> str:
    authors = ", ".join(paper["authors"][:3]) + (" et al." if len(paper["authors"]) > 3 else "")
    byline = translate("comma").join(part for part in (authors, str(paper["year"] or "")) if part)
    relevance_figure = "" if paper["relevance"] is None else f"{paper['relevance']:.2f}"
    relevance = load_phrases("panel").translate_phrase(
        language, f"relevance.{paper['ranking']}", figure=relevance_figure
    )
    authorship = translate("made", made=_escape_inline(byline)) if byline else ""
    return f"- [@{paper['id']}] {_escape_inline(paper['title'])}{authorship} — {relevance}"


def _render_remarks(document: Mapping[str, Any], is_full: bool) -> str:
    """Render headline, evidence and faulty citations; empty without a degraded incident.

    Omit the headline if the conclusion already shows it. `is_full`: render even without a degraded incident.
    """
    degraded_incidents = [incident for incident in document["incidents"] if incident["severity"] == "degraded"]
    if not degraded_incidents and not is_full:
        return ""
    headline = _escape_inline(document["headline"]) if document["synthesis"] else ""
    ending_parts = [headline, _format_evidence(document), _escape_inline(format_basis(document))]
    lines = [
        f"- {_escape_inline(incident['what'])}"
        for incident in degraded_incidents
        if incident["kind"] in ("citation", "quotation")
    ]
    return "\n\n".join(part for part in [*ending_parts, "\n".join(lines)] if part)


def _format_evidence(document: Mapping[str, Any]) -> str:
    return _escape_inline(format_evidence(document["evidence"], document["language"])) if document["evidence"] else ""


def format_preview(text: str) -> str:
    """Return the start of a contribution on one line, without its Markdown."""
    line = " ".join(_MARKDOWN_MARKS.sub("", text).split())
    return _escape_inline(clip_text(line, PREVIEW_LENGTH_CJK if is_cjk(line) else PREVIEW_LENGTH))


def _escape_inline(text: str) -> str:
    """Escape a text for use inside a line of Markdown. Citations stay unchanged."""
    parts = _CITATION.split(flatten_line(text))
    parts[::2] = [re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)
