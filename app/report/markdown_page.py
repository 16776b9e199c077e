"""A run's document as a Markdown page in the report's order: verdict, synthesis, conversation."""

from collections.abc import Iterator, Mapping
from typing import Any

from ...nodes.outcome import get_offline_label
from ..display.plain_text import strip_controls
from ..display.positions import format_positions
from ..display.transcript import (
    escape_inline,
    format_closing_tables,
    format_ending,
    format_participant,
    format_title,
    get_display_name,
    get_synthesis_heading,
    list_group_sections,
    list_private_texts,
    neutralize_statement,
    neutralize_synthesis,
    render_origin,
)
from ..display.wording import describe_requests, translate_report_phrase
from ..protocols.hooks import get_hooks
from .conversation import list_turn_lookups
from .opening import format_verdict
from .page import build_page


def render_markdown(document: Mapping[str, Any]) -> str:
    """Render a run as Markdown. Participants' texts cannot add headings, link targets or HTML."""
    if (render_answer := get_hooks(document["protocol"]).answer) and document["synthesis"]:
        return "\n".join([*map(strip_controls, render_origin(document)), render_answer(document, True)])
    return strip_controls("\n".join(_render_lines(document))) + "\n"


def _render_lines(document: Mapping[str, Any]) -> Iterator[str]:
    language = document["language"]
    if document["rehearsal"]:
        yield f"> {get_offline_label(language, document['model'])}\n"
    yield from ("# " + format_title(document["protocol"], document["topic"], language), "", *render_origin(document))
    if verdict := format_verdict(build_page(document)):
        yield from (f"**{escape_inline(verdict)}**", "")
    for participant in document["participants"]:
        bold_name = f"**{escape_inline(participant['name'])}**"
        yield f"- {format_participant(bold_name, escape_inline(participant['role']), language)}"
    yield from ("", f"## {translate_report_phrase(language, 'facts.reason')}", "", *format_ending(document))
    yield from (line for text in describe_requests(document) for line in ("", text))
    yield from (f"    {line}".rstrip() for line in format_closing_tables(document))
    if document["synthesis"]:
        yield from ("", f"## {get_synthesis_heading(document)}", "", neutralize_synthesis(document["synthesis"]))
    for turn in document["turns"]:
        name = escape_inline(get_display_name(turn["speakerId"], language))
        yield from ("", f"## {turn['turnNumber']} · {name}", "", neutralize_statement(turn["content"]))
        lookups = list_turn_lookups(document, turn["turnNumber"])
        yield from [""] * bool(lookups)
        for lookup in lookups:
            label = translate_report_phrase(
                language, "talk.lookup", **{key: lookup[key] for key in ("id", "tool", "status")}
            )
            yield f"- {escape_inline(label)}: {escape_inline(lookup['arguments'])}"
    for heading, items in list_group_sections(document):
        yield from ("", f"## {heading}")
        for item in items:
            if isinstance(item, str):
                yield from ("", escape_inline(item))
                continue
            head, *rows = [f"| {' | '.join(map(escape_inline, row))} |" for row in item]
            yield from ("", head, "|---" * len(item[0]) + "|", *rows)
    if position_lines := format_positions(document):
        yield from ("", f"## {position_lines[0]}", "", *(f"- {escape_inline(line)}" for line in position_lines[1:]))
    for name, label, text in list_private_texts(document):
        private_lines = [f"**{escape_inline(name)}, {label}**", "", neutralize_statement(text)]
        yield from ("", *(private_lines if label else [f"## {name}"]))
    if document["incidents"]:
        yield from ("", f"## {translate_report_phrase(language, 'sections.incidents')}", "")
    for incident in document["incidents"]:
        step, who, event = (escape_inline(incident[key]) for key in ("where", "who", "what"))
        yield f"- {step} {who}: {event}"
