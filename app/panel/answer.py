"""A panel's answer as Markdown in the run's language: the conclusion first, then who discussed, then the papers."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from ...prompts import phrases, term
from ...state.reply import is_cjk
from ...state.text import clipped
from ..display.evidence import evidence_line, promise_line
from ..display.plain import one_line, plain
from ..display.transcript import closing

PREVIEW, PREVIEW_CJK = 160, 80
"""Characters of a contribution that its preview shows."""

Say = Callable[..., str]
"""A phrase of the answer by its key, in the run's language."""

_MARKS = re.compile(r"(?m)^[^\S\n]*(?:#{1,6}\s+|>\s?|[-*+]\s+|\d+[.、]\s*)|[*`]{1,3}|\b_{1,3}\B|\B_{1,3}\b")
_CITED = re.compile(r"(\[@[^\s\[\]()<>\\]+\](?![(\[:]))")
"""A citation that cannot be read as a link."""


def answer(document: Mapping[str, Any], *, whole: bool = False) -> str:
    """Title, question, conclusion, who discussed and what each said, papers with relevance.

    `document` is a panel's document; with `whole` every contribution is given in full instead of a preview.
    """
    language = document["language"]

    def say(key: str, **values: object) -> str:
        return phrases("panel").say(language, f"answer.{key}", **values)

    discussions, papers = document["agent_discussions"], document["papers"]
    parts = [f"# {say('title')}"]
    parts += [f"> {term(language, 'headline', 'rehearsal')}"] if document["rehearsal"] else []
    parts += [f"**{say('question')}{say('colon').rstrip()}** {_inline(discussions['query'])}"]
    parts += [f"## {say('conclusion')}", closing(document["synthesis"]) or _inline(document["headline"])]
    parts += [f"## {say('discussion')}", _held(document, say), *_said(document, say, whole)]
    parts += [f"## {say('papers', count=len(papers))}"]
    parts += ["\n".join(_paper(one, language, say) for one in papers)] if papers else []
    if marked := _marked(document, whole):
        parts += [f"## {say('record')}", marked]
    return plain("\n\n".join(part for part in parts if part)) + "\n"


def _held(document: Mapping[str, Any], say: Say) -> str:
    """How many experts discussed in how many rounds."""
    spoken = {one["agent_name"] for one in document["agent_discussions"]["discussion_rounds"]}
    if not spoken:
        return say("direct" if document["terminationReason"] == "answered_directly" else "not_held")
    experts = say("experts", count=len(spoken)) if len(spoken) > 1 else say("one_expert")
    rounds = say("rounds", count=document["rounds"]) if document["rounds"] > 1 else say("one_round")
    return say("held", experts=experts, rounds=rounds)


def _said(document: Mapping[str, Any], say: Say, whole: bool) -> list[str]:
    """Each expert in order with a preview of what it said last, or every contribution in full."""
    said = document["agent_discussions"]["discussion_rounds"]
    roles = {one["name"]: _inline(one["role"]) for one in document["participants"]}
    if whole:
        heads = [
            f"### {one['round_number']}. {_head(say, one['agent_name'], roles[one['agent_name']])}" for one in said
        ]
        return [part for head, one in zip(heads, said, strict=True) for part in (head, closing(one["agent_response"]))]
    latest = {one["agent_name"]: preview(one["agent_response"]) for one in said}
    lines = [
        _head(say, name, role) + say("colon") + (latest.get(name) or say("silent")) for name, role in roles.items()
    ]
    return ["\n".join(f"{place}. {line}" for place, line in enumerate(lines, start=1))] if said else []


def _head(say: Say, name: str, role: str) -> str:
    return say("expert", name=_inline(name), role=role) if role else f"**{_inline(name)}**"


def _paper(one: Mapping[str, Any], language: str, say: Say) -> str:
    by = ", ".join(one["authors"][:3]) + (" et al." if len(one["authors"]) > 3 else "")
    made = say("comma").join(part for part in (by, str(one["year"] or "")) if part)
    figure = "" if one["relevance"] is None else f"{one['relevance']:.2f}"
    relevance = phrases("panel").say(language, f"relevance.{one['ranking']}", figure=figure)
    return f"- [@{one['id']}] {_inline(one['title'])}{say('made', made=_inline(made)) if made else ''} — {relevance}"


def _marked(document: Mapping[str, Any], whole: bool) -> str:
    """How it ended, the headline unless it stands above already; what could not be proven or was degraded else.

    `whole`: how it ended is told also where nothing was degraded.
    """
    notes = [one for one in document["incidents"] if one["severity"] == "degraded"]
    if not notes and not whole:
        return ""
    head = _inline(document["headline"]) if document["synthesis"] else ""
    ended = [head, _evidence(document), _inline(promise_line(document))]
    lines = [f"- {_inline(one['what'])}" for one in notes if one["kind"] in ("citation", "quotation")]
    return "\n\n".join(part for part in [*ended, "\n".join(lines)] if part)


def _evidence(document: Mapping[str, Any]) -> str:
    return _inline(evidence_line(document["evidence"], document["language"])) if document["evidence"] else ""


def preview(text: str) -> str:
    """The beginning of a contribution on one line, without its Markdown."""
    line = " ".join(_MARKS.sub("", text).split())
    return _inline(clipped(line, PREVIEW_CJK if is_cjk(line) else PREVIEW))


def _inline(text: str) -> str:
    """A short text inside a line of Markdown; its citations stay as they are."""
    parts = _CITED.split(one_line(text))
    parts[::2] = [re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)
