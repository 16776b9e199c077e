"""Panel answer as Markdown in the run's language: conclusion, participants, papers."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ....nodes.outcome import get_offline_label
from ....prompts import load_phrases
from ....state import clip_text, is_cjk
from ...display.evidence import format_basis, format_evidence
from ...display.plain_text import flatten_line, strip_controls
from ...display.transcript import neutralize_synthesis

PREVIEW_LENGTH, PREVIEW_LENGTH_CJK = 160, 80
"""Maximum characters of a contribution's preview, and of one in Chinese, Japanese or Korean."""

_MARKDOWN_MARKS = re.compile(r"(?m)^[^\S\n]*(?:#{1,6}\s+|>\s?|[-*+]\s+|\d+[.、]\s*)|[*`]{1,3}|\b_{1,3}\B|\B_{1,3}\b")
_CITATION = re.compile(r"(\[@[^\s\[\]()<>\\]+\](?![(\[:]))")
"""Pattern of a citation that Markdown cannot read as a link."""


def render_answer(document: Mapping[str, Any], *, is_full: bool = False) -> str:
    """Render title, question, conclusion, contributions, and papers with their relevance.

    `document`: a panel's document. `is_full`: whether to show complete contributions instead of previews.
    """
    language, papers = document["language"], document["papers"]
    translate = partial(_translate_phrase, language)
    parts = [f"# {translate('title')}"]
    parts += [f"> {get_offline_label(language, document['model'])}"] if document["rehearsal"] else []
    query = _escape_inline(document["agent_discussions"]["query"])
    parts += [f"**{translate('question')}{translate('colon').rstrip()}** {query}", f"## {translate('conclusion')}"]
    parts.append(neutralize_synthesis(document["synthesis"]) or _escape_inline(document["headline"]))
    parts.append(f"## {translate('discussion')}")
    contributions = document["agent_discussions"]["discussion_rounds"]
    if counts := Counter(contribution["agent_name"] for contribution in contributions):
        experts_text = translate("experts", count=len(counts)) if len(counts) > 1 else translate("one_expert")
        round_count = max(counts.values())
        rounds_text = translate("rounds", count=round_count) if round_count > 1 else translate("one_round")
        parts.append(translate("held", experts=experts_text, rounds=rounds_text, count=counts.total()))
        parts += _render_contributions(document, contributions, is_full)
    else:
        parts.append(translate("direct" if document["terminationReason"] == "answered_directly" else "not_held"))
    parts.append(f"## {translate('papers', count=len(papers))}")
    parts.append("\n".join(_format_paper(paper, language) for paper in papers))
    if remarks := _render_remarks(document, is_full):
        parts += [f"## {translate('record')}", remarks]
    return strip_controls("\n\n".join(filter(None, parts))) + "\n"


def _translate_phrase(language: str, key: str, **values: object) -> str:
    return load_phrases("panel").translate_phrase(language, f"answer.{key}", **values)


def _render_contributions(
    document: Mapping[str, Any], contributions: Sequence[Mapping[str, Any]], is_full: bool
) -> list[str]:
    """Render each expert with a preview of its last contribution, or with all its contributions in full."""
    translate, labels = partial(_translate_phrase, document["language"]), dict[str, str]()
    for participant in document["participants"]:
        name, role = _escape_inline(participant["name"]), _escape_inline(participant["role"])
        labels[participant["name"]] = translate("expert", name=name, role=role) if role else f"**{name}**"
    if is_full:
        parts = []
        for entry in contributions:
            parts.append(f"### {entry['round_number']}. {labels[entry['agent_name']]}")
            parts.append(neutralize_synthesis(entry["agent_response"]))
        return parts
    previews = {entry["agent_name"]: format_preview(entry["agent_response"]) for entry in contributions}
    silence, colon = translate("silent"), translate("colon")
    lines = [f"{label}{colon}{previews.get(name) or silence}" for name, label in labels.items()]
    return ["\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))]


def _format_paper(paper: Mapping[str, Any], language: str) -> str:
    authors = ", ".join(paper["authors"][:3]) + (" et al." if len(paper["authors"]) > 3 else "")
    byline = _translate_phrase(language, "comma").join(filter(None, (authors, str(paper["year"] or ""))))
    authorship = _translate_phrase(language, "made", made=_escape_inline(byline)) if byline else ""
    return f"- [@{paper['id']}] {_escape_inline(paper['title'])}{authorship} — {format_relevance(paper, language)}"


def format_relevance(paper: Mapping[str, Any], language: str) -> str:
    """Format the relevance of a paper in words."""
    figure = "" if paper["relevance"] is None else f"{paper['relevance']:.2f}"
    return load_phrases("panel").translate_phrase(language, f"relevance.{paper['ranking']}", figure=figure)


def _render_remarks(document: Mapping[str, Any], is_full: bool) -> str:
    """Render the headline, the evidence and faulty citations; empty if no incident lowered the quality.

    Omit the headline if the conclusion already contains it. `is_full`: whether to render them in any case.
    """
    degraded_incidents = [incident for incident in document["incidents"] if incident["severity"] == "degraded"]
    if not degraded_incidents and not is_full:
        return ""
    evidence = format_evidence(document["evidence"], document["language"]) if document["evidence"] else ""
    texts = [document["headline"] if document["synthesis"] else "", evidence, format_basis(document)]
    lines = [
        f"- {_escape_inline(incident['what'])}"
        for incident in degraded_incidents
        if incident["kind"] in ("citation", "quotation")
    ]
    return "\n\n".join(filter(None, [*map(_escape_inline, texts), "\n".join(lines)]))


def format_preview(text: str) -> str:
    """Return the start of a contribution on one line, without its Markdown."""
    line = " ".join(_MARKDOWN_MARKS.sub("", text).split())
    return _escape_inline(clip_text(line, PREVIEW_LENGTH_CJK if is_cjk(line) else PREVIEW_LENGTH))


def _escape_inline(text: str) -> str:
    """Escape a text for use inside a line of Markdown. Citations stay unchanged."""
    parts = _CITATION.split(flatten_line(text))
    parts[::2] = [re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)
