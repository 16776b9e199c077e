"""Functions that clip a text to a length, lower its Markdown headings, and strip its quotations."""

import re
import unicodedata
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


@cache
def _make_parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # slow to load, so only with the first Markdown text

    return MarkdownIt("commonmark", {"html": False})


def lower_headings(text: str, rank: int) -> str:
    """Lower the Markdown headings of a text below `rank`, 0 to 5, and close an open code block.

    `rank` is a number of `#` marks. Headings keep their relative ranks, down to the lowest rank. An underlined heading
    gets `#` marks instead.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd").split("\n")
    # with a heading below the text: if it is not parsed as one, the text never closed a code block
    tokens = _make_parser().parse("\n".join([*lines, "", "# What follows"]))
    closing_fences = [tokens[-1].markup] if tokens[-1].type == "fence" else []
    headings = [
        (token, inline_token.content) for token, inline_token in pairwise(tokens) if token.type == "heading_open"
    ]
    if not closing_fences:
        headings.pop()
    shift = max([0, *(rank + 1 - _get_rank(heading) for heading, _ in headings)])
    for heading, content in reversed(headings):
        start, end = heading.map or [0, 1]
        marks = "#" * min(_get_rank(heading) + shift, 6)
        line = lines[start].replace(heading.markup, marks, 1)
        if not heading.markup.startswith("#"):  # an underlined heading
            prefix = lines[start].partition(content.partition("\n")[0])[0]
            suffix = f" {marks}" if content.endswith("#") else ""
            line = f"{prefix}{marks} {' '.join(content.split())}{suffix}"
        lines[start:end] = [line]
    return "\n".join(lines + closing_fences)


def _get_rank(heading: "Token") -> int:
    return int(heading.tag[1:])


ELLIPSIS = "..."

_FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))


def clip_text(text: str, limit: int) -> str:
    """Clip `text` to at most `limit` characters (code points), including the ellipsis "...".

    Cut at a word boundary in the last 15 % of the text, if there is one. Never cut inside a combining
    sequence, an emoji sequence or a surrogate pair.
    """
    if len(text) <= limit:
        return text
    if limit <= len(ELLIPSIS):
        return ELLIPSIS[:limit]
    length = limit - len(ELLIPSIS)
    space_index = max(text.rfind(" ", 0, length + 1), text.rfind("\n", 0, length + 1))
    end = space_index if space_index >= length * 0.85 else length
    while end and (_is_attached(text[end]) or text[end - 1] == "\u200d" or _is_inside_pair(text, end)):
        end -= 1
    return text[:end] + ELLIPSIS


def _is_attached(character: str) -> bool:
    """Return whether a character combines with the one before it: a mark, a joiner, a skin tone or a tag."""
    return (
        unicodedata.category(character)[0] == "M"
        or character == "\u200d"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _is_inside_pair(text: str, end: int) -> bool:
    """Return whether `end` lies between the halves of a surrogate pair or of a flag."""
    if "\ud800" <= text[end - 1] <= "\udbff":
        return True
    flag_letter_count = end - len(text[:end].rstrip(_FLAG_LETTERS))
    return flag_letter_count % 2 == 1 and text[end] in _FLAG_LETTERS


_QUOTATION = re.compile(
    r'"[^"\n]{1,2000}"|“[^”]{1,2000}”|„[^“”]{1,2000}[“”]|«[^»]{1,2000}»|「[^」]{1,2000}」|『[^』]{1,2000}』'
    r"|^[ \t]*>.*$",
    re.MULTILINE,
)


def strip_quotations(text: str) -> str:
    """Replace each quotation in `text` by `…`. Apostrophes do not count as quotation marks."""
    return _QUOTATION.sub("…", text)
