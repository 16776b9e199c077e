"""A run's document as a page of Markdown, in the report's order: the verdict, the closing text, the conversation."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..display.group import Item
from ..display.plain import plain
from ..display.positions import position_lines
from ..display.transcript import (
    as_prose,
    called,
    closing,
    closing_tables,
    closing_title,
    ending_lines,
    inline,
    label_lines,
    measured_and_voted,
    not_shown,
    origin_quoted,
    seat,
    title,
    word,
)
from ..hooks import hooks_of
from .page import page
from .verdict import verdict


def markdown(document: Mapping[str, Any]) -> str:
    """The page; what participants wrote cannot become a heading, a link target or HTML of it."""
    if (answer := hooks_of(document["protocol"]).answer) and document["synthesis"]:
        return "\n".join([*map(plain, origin_quoted(document)), answer(document, True)])
    label = [f"> {line}\n" for line in label_lines(document) if line]
    return plain("\n".join([*label, *_head(document), *_talk(document), *_record(document)])) + "\n"


def _head(document: Mapping[str, Any]) -> Iterator[str]:
    language = document["language"]
    yield from ("# " + title(document["protocol"], document["topic"], language), "", *origin_quoted(document))
    if said := verdict(page(document)):
        yield from (f"**{inline(said)}**", "")
    for one in document["participants"]:
        name = f"**{inline(one['name'])}**"
        yield f"- {seat(name, inline(one['role']), language)}"
    yield from ("", f"## {word(document, 'facts.reason')}", "", *ending_lines(document))
    yield from (f"    {line}".rstrip() for line in closing_tables(document))
    if document["synthesis"]:
        yield from ("", f"## {closing_title(document)}", "", closing(document["synthesis"]))


def _talk(document: Mapping[str, Any]) -> Iterator[str]:
    for one in document["turns"]:
        head = f"## {one['turnNumber']} · {inline(called(one['speakerId'], document['language']))}"
        yield from ("", head, "", as_prose(one["content"]))


def _record(document: Mapping[str, Any]) -> Iterator[str]:
    if stood := position_lines(document):
        yield from ("", f"## {stood[0]}", "", *(f"- {inline(line)}" for line in stood[1:]))
    for heading, items in measured_and_voted(document):
        yield from ("", f"## {heading}", *(line for item in items for line in ["", *_item(item)]))
    for name, what, text in not_shown(document):
        yield from ("", *([f"**{inline(name)}, {what}**", "", as_prose(text)] if what else [f"## {name}"]))
    if document["incidents"]:
        yield from ("", f"## {word(document, 'sections.incidents')}", "")
        for one in document["incidents"]:
            yield f"- {inline(one['where'])} {inline(one['who'])}: {inline(one['what'])}"


def _item(item: Item) -> list[str]:
    """A sentence or a table as Markdown."""
    if isinstance(item, str):
        return [inline(item)]
    head, *rows = [f"| {' | '.join(map(inline, row))} |" for row in item]
    return [head, "|---" * len(item[0]) + "|", *rows]
