"""Clipping: a text in at most so many characters."""

import unicodedata
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

DEEPEST = 6
"""The lowest rank of a heading in Markdown."""
FOLLOWING = ["", "# What follows"]
"""A heading below a text; one that is not read as such stands in a code block which the text never closed."""


@cache
def _reader() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # takes long to load: with the first text in Markdown, not before

    return MarkdownIt("commonmark", {"html": False})


def set_under(text: str, rank: int) -> str:
    """Markdown with each of its headings below `rank`, 0 to 5, and a code block that never closes closed.

    Which heading stands above which is kept, as far as there are ranks. An underlined heading becomes one with marks.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd").split("\n")
    tokens = _reader().parse("\n".join([*lines, *FOLLOWING]))
    open_code = [tokens[-1].markup] if tokens[-1].type == "fence" else []
    found = [(one, inner.content) for one, inner in pairwise(tokens) if one.type == "heading_open"]
    if not open_code:
        found.pop()
    lift = max([0, *(rank + 1 - _rank(one) for one, _ in found)])
    for heading, words in reversed(found):
        begin, end = heading.map or [0, 1]
        lines[begin:end] = [_marked(lines[begin], heading, words, "#" * min(_rank(heading) + lift, DEEPEST))]
    return "\n".join(lines + open_code)


def _rank(heading: "Token") -> int:
    return int(heading.tag[1:])


def _marked(line: str, heading: "Token", words: str, marks: str) -> str:
    """The line a heading begins in, with its new marks."""
    if heading.markup.startswith("#"):
        return line.replace(heading.markup, marks, 1)
    before = line.partition(words.partition("\n")[0])[0]
    closed = f" {marks}" if words.endswith("#") else ""
    return f"{before}{marks} {' '.join(words.split())}{closed}"


ELLIPSIS = "..."

_FLAG_LETTERS = "".join(map(chr, range(0x1F1E6, 0x1F200)))


def clipped(text: str, limit: int) -> str:
    """`text` in at most `limit` characters (code points), the ellipsis "..." included.

    It is cut at a word boundary where one lies in the last 15 % of what is kept, and never inside a combining
    sequence, an emoji sequence or a surrogate pair.
    """
    if len(text) <= limit:
        return text
    if limit <= len(ELLIPSIS):
        return ELLIPSIS[:limit]
    keep = limit - len(ELLIPSIS)
    space = max(text.rfind(" ", 0, keep + 1), text.rfind("\n", 0, keep + 1))
    end = _between_characters(text, space if space >= keep * 0.85 else keep)
    return text[:end] + ELLIPSIS


def _between_characters(text: str, end: int) -> int:
    """The last place at or before `end` that does not split what is seen as one character."""
    while end and (_joins(text[end]) or text[end - 1] == "\u200d" or _is_half(text, end)):
        end -= 1
    return end


def _joins(character: str) -> bool:
    """Whether a character belongs to the one before it: a mark, a joiner, a skin tone or a tag."""
    return (
        unicodedata.category(character)[0] == "M"
        or character == "\u200d"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def _is_half(text: str, end: int) -> bool:
    """Whether `end` lies between the halves of a surrogate pair or of a flag."""
    if "\ud800" <= text[end - 1] <= "\udbff":
        return True
    letters = end - len(text[:end].rstrip(_FLAG_LETTERS))
    return letters % 2 == 1 and text[end] in _FLAG_LETTERS
