"""A run's document as text to read: the transcript, and what it has in common with a page of Markdown."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...prompts import term
from ...prompts.phrases import phrases
from ...state.statement import MODERATOR
from ...state.text import set_under
from ..hooks import hooks_of
from ..saved import origin_lines
from .aligned import aligned
from .evidence import evidence_line, promise_line
from .group import Item, reviews, stands, votes
from .plain import plain
from .positions import answer_line, position_lines
from .wording import say, statements
from .wrapping import INSET, set_in


def title(protocol: str, topic: str, language: str) -> str:
    """`Debate: Should cities ban cars?`, on one line."""
    known = protocol in phrases("report").keys("protocols")
    name = phrases("report").say(language, f"protocols.{protocol}") if known else protocol.capitalize()
    about = " ".join(topic.split()).rstrip(": ")
    return say(language, "title.about", protocol=name, topic=about) if about else name


def seat(name: str, role: str, language: str) -> str:
    """`PRO: argues FOR the motion`; a name alone where there is no role."""
    return say(language, "title.seat", name=name, role=role) if role else name


def called(speaker: str, language: str) -> str:
    """The name shown for a speaker; statements of the protocol itself are shown as the moderator's."""
    return phrases("report").say(language, "talk.moderator") if speaker == MODERATOR else speaker


def statement_lines(turn: int, speaker: str, content: str) -> str:
    """One statement as a transcript shows it: set in, so that none of its lines can pass for another statement."""
    return f"[{turn}] {speaker}\n{set_in(plain(content).strip())}\n"


class Part(NamedTuple):
    """A piece of a transcript, ending where the next line begins. `who`: whose name or statement it is.

    `kind`: line, label, heading, name, said, closing, or answer: a whole text in Markdown.
    """

    text: str
    kind: str = "line"
    who: str = ""


def transcript(document: Mapping[str, Any]) -> str:
    """All statements in order, how it ended, and the synthesis; or the protocol's own text of its answer."""
    text = "\n".join(one.text for one in parts_of(document))
    return plain(text) + ("" if hooks_of(document["protocol"]).answer and document["synthesis"] else "\n")


def parts_of(document: Mapping[str, Any]) -> Iterator[Part]:
    """The pieces of the transcript, in order."""
    if (answer := hooks_of(document["protocol"]).answer) and document["synthesis"]:
        yield from (Part(line) for line in origin_quoted(document))
        yield Part(answer(document, True), "answer")
        return
    language = document["language"]
    yield from (Part(line, "label") for line in label_lines(document))
    yield Part(title(document["protocol"], document["topic"], language), "heading")
    yield from (Part(line) for line in origin_lines(document))
    yield from (Part(seat(one["name"], one["role"], language), "name", one["name"]) for one in document["participants"])
    yield Part("")
    for one in document["turns"]:
        speaker = called(one["speakerId"], language)
        name, _, said = statement_lines(one["turnNumber"], speaker, one["content"]).partition("\n")
        yield Part(name, "name", one["speakerId"])
        yield Part(said, "said", one["speakerId"])
    yield from (Part(line, "heading") for line in ending_lines(document))
    yield from (Part(line) for line in closing_tables(document))
    for heading, items in measured_and_voted(document):
        yield from (Part(""), Part(heading, "heading"))
        yield from (Part(line) for item in items for line in ([item] if isinstance(item, str) else aligned(item)))
    if document["synthesis"]:
        yield from (Part(""), Part(document["synthesis"], "closing"), *map(Part, _marks(document)))
    if stood := position_lines(document):
        yield from (Part(""), Part(stood[0], "heading"), *map(Part, stood[1:]))
    for name, what, text in not_shown(document):
        yield from (Part(""), Part(f"{name}, {what}" if what else name, "name", name))
        yield from [Part(f"{INSET}{set_in(plain(text).strip())}", "said", name)] if text else []


def measured_and_voted(document: Mapping[str, Any]) -> Iterator[tuple[str, list[Item]]]:
    """What a group measured and voted, each under its heading; nothing where there is none."""
    for name, made in {"stands": stands, "votes": votes, "reviews": reviews}.items():
        if items := list(made(document)):
            yield word(document, f"sections.{name}"), items


def not_shown(document: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """What no other participant was shown: first its heading, alone, then whose, what, and the text."""
    found = hooks_of(document["protocol"]).private(document)
    if any(found.values()):
        yield word(document, "sections.private"), "", ""
    yield from ((name, what, text) for name, texts in found.items() for what, text in texts)


def origin_quoted(document: Mapping[str, Any]) -> list[str]:
    """Where a fork comes from, as lines of Markdown."""
    moment, *rest = origin_lines(document) or [""]
    items = [">", *(f"> - {inline(line)}" for line in rest)] if rest else []
    return [f"> {inline(moment)}", *items, ""] if moment else []


def closing_tables(document: Mapping[str, Any]) -> list[str]:
    """What the protocol shows below its ending, in columns, once it has ended."""
    return [] if document["terminationReason"] is None else hooks_of(document["protocol"]).closing(document)


SAID_IN_FULL = ("closed", "declined", "expired", "participants_unavailable")
"""Endings whose headline already names the reason in full."""


def ending_lines(document: Mapping[str, Any]) -> list[str]:
    """How it ended and why, a line each; where it stands, if it goes on."""
    if document["terminationReason"] is None:
        so_far = word(document, "opening.unfinished", count=statements(document))
        return [so_far, *stopped_lines(document), *hooks_of(document["protocol"]).stands(document)]
    in_full = document["terminationReason"] in SAID_IN_FULL
    why = "" if in_full else evidence_line(document["evidence"], document["language"])
    more = [why, promise_line(document), answer_line(document)]
    return [document["headline"], *(line for line in more if line)]


def stopped_lines(document: Mapping[str, Any]) -> list[str]:
    """Why an unfinished run stopped, where something was wrong."""
    return [word(document, "opening.fault", fault=document["fault"])] if document["fault"] else []


def _marks(document: Mapping[str, Any]) -> list[str]:
    """What the marks in the closing text stand for, set apart from it."""
    found = [one for one in document["incidents"] if one["where"] == "synthesis" and one["consequence"] == "marked"]
    return ["", *(f"({one['what']})" for one in found)] if found else []


def word(document: Mapping[str, Any], key: str, **values: object) -> str:
    """A phrase of the report in the run's language."""
    return phrases("report").say(document["language"], key, **values)


def closing_title(document: Mapping[str, Any]) -> str:
    """The heading of the closing text; of a protocol without a word of its own, as of a debate."""
    kind = document["protocol"]
    return word(document, f"closings.{kind if kind in phrases('report').keys('closings') else 'debate'}")


def label_lines(document: Mapping[str, Any]) -> list[str]:
    """What is said before anything else where no model took part."""
    return [term(document["language"], "headline", "rehearsal"), ""] if document["rehearsal"] else []


def inline(text: str) -> str:
    """A short text inside a Markdown line."""
    return re.sub(r"([\\`*_{}\[\]<>#|!])", r"\\\1", " ".join(text.split()))


RANK = 3
"""The lowest rank of a heading of a page."""

_HTML = re.compile(r"<(?=[A-Za-z/!?])")
_BLOCK = re.compile(r"(?m)^(\s{0,3})(=+\s*$|-+\s*$|`{3,}|~{3,}|\[(?![@][^\s\]]*\])(?=[^\]]*\]:))")
"""What makes a heading of the line before, a code block that may never end, or the definition of a link."""
_CITATION = re.compile(r"""(?m)^(\s{0,3}\[@[^\s\]]*\]):(?=\s*(?:<|\S+\s*?(?:$|\s["'(])))""")
"""A citation before a colon that would be read as the definition of a link, and with its line not be seen."""


def as_prose(text: str) -> str:
    """A text as its own Markdown, without headings and HTML, and `unlinked`."""
    return re.sub(r"(?m)^(\s{0,3})(#+)", r"\1\\\2", unlinked(text)).replace("<", "&lt;")


def closing(text: str) -> str:
    """A closing text as its own Markdown, without HTML, and `unlinked`; its headings stay below those of the page."""
    return set_under(_HTML.sub("&lt;", unlinked(text)), RANK)


def unlinked(text: str) -> str:
    """A text without links, pictures, underlined headings and code blocks, which could swallow what follows."""
    return _CITATION.sub(r"\1 :", _BLOCK.sub(r"\1\\\2", text.strip())).replace("](", "]\\(").replace("][", "]\\[")
