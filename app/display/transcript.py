"""Transcript of a run as text, and parts of it for Markdown pages."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...nodes.outcome import get_offline_label
from ...state import MISSED_TURN, MODERATOR, lower_headings
from ..protocols.hooks import BlockMaker, get_hooks
from ..report import (
    Block,
    BlockQuote,
    BulletList,
    Heading,
    Page,
    Paragraph,
    build_page,
    list_agreement_blocks,
    list_block_lines,
    list_poll_blocks,
    render_blocks_markdown,
)
from ..saved import format_origin_lines
from .group_results import format_answer, list_position_blocks
from .plain_text import STATEMENT_INDENT, indent_lines, strip_controls
from .wording import (
    count_statements,
    describe_requests,
    format_basis,
    format_evidence,
    format_spending,
    get_label,
    translate_display_phrase,
    translate_report_phrase,
)


def format_title(protocol: str, topic: str, language: str) -> str:
    """Return the title of a run on one line: `Debate: Should cities ban cars?`."""
    name = get_label(language, "protocols", protocol)
    subject = " ".join(topic.split()).rstrip(": ")
    return translate_display_phrase(language, "title.about", protocol=name, topic=subject) if subject else name


def format_participant(name: str, role: str, language: str) -> str:
    """Return a participant as `PRO: argues FOR the motion`, or only its name if it has no role."""
    return translate_display_phrase(language, "title.seat", name=name, role=role) if role else name


def get_display_name(speaker: str, language: str) -> str:
    """Return the name shown for a speaker.

    The protocol's own statements are shown as the moderator's.
    """
    return translate_report_phrase(language, "talk.moderator") if speaker == MODERATOR else speaker


def format_statement(turn: int, speaker: str, content: str) -> str:
    """Return a statement as it stands in a transcript.

    Lines of the statement are indented, so that no line can pose as another statement.
    """
    return f"[{turn}] {speaker}\n{indent_lines(strip_controls(content).strip())}\n"


class TranscriptPart(NamedTuple):
    """Piece of a transcript, without its final line break.

    `kind`: line, label, heading, name, said, closing, or answer (a complete text in Markdown). `who`: the participant,
    or empty.
    """

    text: str
    kind: str = "line"
    who: str = ""


def render_transcript(document: Mapping[str, Any]) -> str:
    """Render the statements, the ending and the synthesis of a run, or the protocol's own text instead."""
    parts = list(list_transcript_parts(document))
    return strip_controls("\n".join(part.text for part in parts)) + ("" if parts[-1].kind == "answer" else "\n")


def list_cost_lines(page: Page) -> list[str]:
    """Return lines with the run's cost and its requests. For a rehearsal, the cost is left out."""
    document = page.document
    cost = page.say("opening.labelled", what=page.say("facts.cost"), figure=format_spending(document))
    return [*([cost] if document["calls"] and not document["rehearsal"] else []), *describe_requests(document)]


def list_incident_lines(page: Page) -> list[str]:
    """Return a line for each incident that lowered the quality of the result.

    Leave out missed turns, which the headline names, and marked citations.
    """
    return [
        page.say(
            "opening.labelled",
            what=page.comma.join(
                [
                    page.get_label("roles", incident["who"]),
                    page.get_label("stages", incident["where"]),
                    *([f"{page.say('opening.turn')} {incident['turn']}"] if incident["turn"] else []),
                ]
            ),
            figure=incident["what"],
        )
        for incident in page.document["incidents"]
        if incident["severity"] == "degraded" and incident["consequence"] not in (MISSED_TURN, "marked")
    ]


def list_transcript_parts(document: Mapping[str, Any]) -> Iterator[TranscriptPart]:
    """Yield the pieces of a run's transcript in order."""
    if get_hooks(document["protocol"]).answer and document["synthesis"]:
        yield from (TranscriptPart(f"{render_blocks_markdown([quote])}\n") for quote in list_origin_blocks(document))
        yield from map(TranscriptPart, describe_requests(document))
        yield TranscriptPart(render_answer_text(document, True), "answer")
        return
    language = document["language"]
    if document["rehearsal"]:
        yield from (
            TranscriptPart(get_offline_label(language, document["model"]), "label"),
            TranscriptPart("", "label"),
        )
    yield TranscriptPart(format_title(document["protocol"], document["topic"], language), "heading")
    yield from map(TranscriptPart, format_origin_lines(document))
    for participant in document["participants"]:
        name = participant["name"]
        yield TranscriptPart(format_participant(name, participant["role"], language), "name", name)
    yield TranscriptPart("")
    for turn in document["turns"]:
        speaker = get_display_name(turn["speakerId"], language)
        name, _, content = format_statement(turn["turnNumber"], speaker, turn["content"]).partition("\n")
        yield TranscriptPart(name, "name", turn["speakerId"])
        yield TranscriptPart(content, "said", turn["speakerId"])
    page = build_page(document)
    yield from (TranscriptPart(line, "heading") for line in format_ending_lines(document))
    yield from map(TranscriptPart, [*list_incident_lines(page), *list_cost_lines(page)])
    yield from _list_block_parts(list_result_blocks(page))
    if document["synthesis"]:
        yield from (TranscriptPart(""), TranscriptPart(document["synthesis"], "closing"))
        # notes that explain the marks in the synthesis
        marks = [
            incident["what"]
            for incident in document["incidents"]
            if (incident["where"], incident["consequence"]) == ("synthesis", "marked")
        ]
        yield from map(TranscriptPart, ["", *(f"({mark})" for mark in marks)] if marks else [])
    yield from _list_block_parts(list_position_blocks(document))
    for name, label, text in list_private_texts(document):
        yield from (TranscriptPart(""), TranscriptPart(f"{name}, {label}" if label else name, "name", name))
        if text:
            yield TranscriptPart(f"{STATEMENT_INDENT}{indent_lines(strip_controls(text).strip())}", "said", name)


def _list_block_parts(blocks: Sequence[Block]) -> Iterator[TranscriptPart]:
    for block in blocks:
        kind = "heading" if isinstance(block, Heading) else "line"
        yield from (TranscriptPart(line, kind) for line in list_block_lines([block]))


def list_result_blocks(page: Page) -> list[Block]:
    """Return the sections about measures, votes and the protocol's own results, each after its heading.

    Empty sections are left out. An unfinished run has no results of its own protocol.
    """
    shared_sections: Mapping[str, Sequence[BlockMaker]] = {
        "stands": [list_agreement_blocks],
        "votes": [list_poll_blocks],
    }
    own_sections = page.hooks.sections if page.document["terminationReason"] else {}
    blocks: list[Block] = []
    for name, builders in [*shared_sections.items(), *own_sections.items()]:
        if section_blocks := [block for build_blocks in builders for block in build_blocks(page)]:
            blocks += [Heading(page.get_label("sections", name)), *section_blocks]
    return blocks


def list_private_texts(document: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the private texts as name, label and text. The first entry is the section's heading."""
    texts_by_name = get_hooks(document["protocol"]).private_texts(document)
    if any(texts_by_name.values()):
        yield translate_report_phrase(document["language"], "sections.private"), "", ""
    yield from ((name, label, text) for name, texts in texts_by_name.items() for label, text in texts)


def list_origin_blocks(document: Mapping[str, Any]) -> list[Block]:
    """Return blocks with a fork's origin and changes; an empty list if the run is no fork."""
    origin, *changes = format_origin_lines(document) or [""]
    return [BlockQuote([Paragraph(origin), *([BulletList(changes)] if changes else [])])] if origin else []


def render_answer_text(document: Mapping[str, Any], is_full: bool) -> str:
    """Render the protocol's own text in place of the transcript, as Markdown.

    `is_full`: whether the text is complete or shortened.
    """
    build_answer = get_hooks(document["protocol"]).answer
    assert build_answer
    return strip_controls(render_blocks_markdown(build_answer(document, is_full))) + "\n"


SELF_EXPLANATORY_ENDINGS = ("all_have_spoken", "closed", "declined", "expired", "participants_unavailable")
"""Endings with a headline that already names the reason in full."""


def format_ending_lines(document: Mapping[str, Any]) -> list[str]:
    """Return lines with the ending and its reasons or, for an open run, with its progress."""
    language = document["language"]
    if document["terminationReason"] is None:
        return [
            translate_report_phrase(language, "opening.unfinished", count=count_statements(document)),
            *list_progress_lines(document),
        ]
    is_self_explanatory = document["terminationReason"] in SELF_EXPLANATORY_ENDINGS
    evidence = "" if is_self_explanatory else format_evidence(document["evidence"], language)
    return [document["headline"], *filter(None, (evidence, format_basis(document), format_answer(document)))]


def list_progress_lines(document: Mapping[str, Any]) -> list[str]:
    """Return lines with the error that stopped an open run, if any, and with the run's progress."""
    fault, language = document["fault"], document["language"]
    return [
        *([translate_report_phrase(language, "opening.fault", fault=fault)] if fault else []),
        *get_hooks(document["protocol"]).progress_lines(document),
    ]


_HTML_START = re.compile(r"<(?=[A-Za-z/!?])")
_BLOCK_MARK = re.compile(r"(?m)^(\s{0,3})(=+\s*$|-+\s*$|`{3,}|~{3,}|\[(?![@][^\s\]]*\])(?=[^\]]*\]:))")
"""Pattern of marks that turn the preceding line into a heading, open a code block, or define a link."""
_CITATION = re.compile(r"""(?m)^(\s{0,3}\[@[^\s\]]*\]):(?=\s*(?:<|\S+\s*?(?:$|\s["'(])))""")
"""Pattern of a citation before a colon. Markdown would read its line as the definition of a link and hide it."""


def neutralize_statement(text: str) -> str:
    """Return a statement as Markdown without headings, HTML, links and code blocks."""
    return re.sub(r"(?m)^(\s{0,3})(#+)", r"\1\\\2", remove_links(text)).replace("<", "&lt;")


def neutralize_synthesis(text: str) -> str:
    """Return a synthesis as Markdown without HTML, links and code blocks.

    Its headings stay below those of the page.
    """
    return lower_headings(_HTML_START.sub("&lt;", remove_links(text)), 3)


def remove_links(text: str) -> str:
    """Remove links, pictures, underlined headings and code blocks, which could hide text after them."""
    return _CITATION.sub(r"\1 :", _BLOCK_MARK.sub(r"\1\\\2", text.strip())).replace("](", "]\\(").replace("][", "]\\[")
