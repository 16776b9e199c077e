"""The outline of a text: whatever its author makes a heading stays below the headings it is put under."""

from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

DEEPEST = 6
"""The lowest rank of a heading in Markdown."""
FOLLOWING = ["", "# What follows"]
"""A heading below a text; one that is not read as such stands in a code block which the text never closed."""

_READER = MarkdownIt("commonmark", {"html": False})


def set_under(text: str, rank: int) -> str:
    """Markdown with each of its headings below `rank`, 0 to 5, and a code block that never closes closed.

    Which heading stands above which is kept, as far as there are ranks. An underlined heading becomes one with marks.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd").split("\n")
    tokens = _READER.parse("\n".join([*lines, *FOLLOWING]))
    open_code = [tokens[-1].markup] if tokens[-1].type == "fence" else []
    found = [(one, inner.content) for one, inner in pairwise(tokens) if one.type == "heading_open"]
    if not open_code:
        found.pop()
    lift = max([0, *(rank + 1 - _rank(one) for one, _ in found)])
    for heading, words in reversed(found):
        begin, end = heading.map or [0, 1]
        lines[begin:end] = [_marked(lines[begin], heading, words, "#" * min(_rank(heading) + lift, DEEPEST))]
    return "\n".join(lines + open_code)


def _rank(heading: Token) -> int:
    return int(heading.tag[1:])


def _marked(line: str, heading: Token, words: str, marks: str) -> str:
    """The line a heading begins in, with its new marks."""
    if heading.markup.startswith("#"):
        return line.replace(heading.markup, marks, 1)
    before = line.partition(words.partition("\n")[0])[0]
    closed = f" {marks}" if words.endswith("#") else ""
    return f"{before}{marks} {' '.join(words.split())}{closed}"
