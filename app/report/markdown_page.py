"""Report of a run as a Markdown page, in the order of the HTML report."""

from collections.abc import Iterator, Mapping
from typing import Any

from ...nodes.outcome import get_offline_label
from ..display import (
    format_ending_lines,
    format_participant,
    format_title,
    get_display_name,
    list_cost_lines,
    list_origin_blocks,
    list_position_blocks,
    list_private_texts,
    list_result_blocks,
    neutralize_statement,
    neutralize_synthesis,
    render_answer_text,
    strip_controls,
)
from .block_text import escape_inline, render_blocks_markdown
from .blocks import Block, BlockQuote, BulletList, Heading, MarkdownText, Paragraph
from .conversation import list_turn_lookups
from .opening import format_verdict
from .page import Page, build_page


def render_markdown(document: Mapping[str, Any]) -> str:
    """Render a run's document as Markdown.

    Participants' texts cannot add headings, link targets or HTML.
    """
    page = build_page(document)
    if page.hooks.answer and document["synthesis"]:
        origin = "".join(f"{render_blocks_markdown([quote])}\n\n" for quote in list_origin_blocks(document))
        return strip_controls(origin) + render_answer_text(document, True)
    return strip_controls(render_blocks_markdown(_list_blocks(page))) + "\n"


def _list_blocks(page: Page) -> Iterator[Block]:
    document, language = page.document, page.language
    if document["rehearsal"]:
        yield BlockQuote([Paragraph(get_offline_label(language, document["model"]))])
    yield from (
        Heading(format_title(document["protocol"], document["topic"], language), 1),
        *list_origin_blocks(document),
    )
    if verdict := format_verdict(page):
        yield Paragraph(MarkdownText(f"**{escape_inline(verdict)}**"))
    seats = [
        format_participant(f"**{escape_inline(participant['name'])}**", escape_inline(participant["role"]), language)
        for participant in document["participants"]
    ]
    yield from (BulletList([*map(MarkdownText, seats)]), Heading(page.say("facts.reason")))
    yield from map(Paragraph, [*format_ending_lines(document), *list_cost_lines(page)])
    if document["synthesis"]:
        yield Heading(page.hooks.synthesis_heading(language))
        yield Paragraph(MarkdownText(neutralize_synthesis(document["synthesis"])))
    for turn in document["turns"]:
        yield Heading(f"{turn['turnNumber']} · {get_display_name(turn['speakerId'], language)}")
        yield Paragraph(MarkdownText(neutralize_statement(turn["content"])))
        yield BulletList(
            [
                f"{page.say('talk.lookup', id=lookup['id'], tool=lookup['tool'], status=lookup['status'])}: "
                f"{lookup['arguments']}"
                for lookup in list_turn_lookups(document, turn["turnNumber"])
            ]
        )
    yield from (*list_result_blocks(page), *list_position_blocks(document))
    for name, label, text in list_private_texts(document):
        yield Paragraph(MarkdownText(f"**{escape_inline(name)}, {label}**")) if label else Heading(name)
        yield Paragraph(MarkdownText(neutralize_statement(text)))
    if document["incidents"]:
        yield Heading(page.say("sections.incidents"))
    yield BulletList(
        [f"{incident['where']} {incident['who']}: {incident['what']}" for incident in document["incidents"]]
    )
