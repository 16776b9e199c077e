"""Text of an answer: its clean form, and the error of a text without an answer."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

EMPHASIS: Final = "*_`"
"""Marks of emphasis and code around an answer. They exclude strikethrough, which withdraws the answer."""

_CLOSING_QUOTES: Final = {
    '"': '"',
    "'": "'",
    "“": "”",
    "„": "“",
    "‘": "’",
    "«": "»",
    "‹": "›",
    "「": "」",
    "『": "』",
}

_MARKS: Final = re.escape(EMPHASIS + "".join(_CLOSING_QUOTES) + "".join(_CLOSING_QUOTES.values()))
_REMOVABLE_MARKS: Final = re.compile(rf"(?<![0-9{_MARKS}])[{_MARKS}]+|[{_MARKS}]++(?![0-9])")
"""Marks of emphasis and quotation, except between two digits, because `0'5` is not `05`."""

FINAL_STOPS: Final = ".。!"

_STARS: Final = re.compile(
    r"(?<![\w*])(?P<stars>\*{1,3})(?=[^\s*])(?P<text>(?:(?!(?P=stars)).)+)(?P=stars)(?![0-9])"
    r"(?P<note>\*(?![\w*]))?|(?<=[^\s*])\*(?![\w*])"
)
"""A passage between stars of emphasis with the mark of a note, or the mark alone, as in `B*`."""

_KEPT_FORMS: Final = ("<super>", "<sub>", "<fraction>")
"""Kinds of compatibility characters with a different meaning, such as the power in 10²."""
_KEPT_CHARACTERS: Final = "，；№"
"""Characters with a different meaning: in a list, a full-width comma separates numbers, and № is no “no”."""

_FENCE: Final = re.compile(r"(?:(?:[-+*]|[0-9]{1,9}[.)])\s+)*(`{3,}(?=[^`]*$)|~{3,}|~~$)")
_REASONING_TAG_NAMES: Final = ("think", "thinking", "thought", "reasoning", "analysis", "scratchpad")
_HIDING_TAG_NAMES: Final = (*_REASONING_TAG_NAMES, "del", "strike", "blockquote", "q", "statement", "said")
_HIDING_TAGS: Final = (
    ("<!--", "-->"),
    (r"^[ \t]*\[think\]", "[/think]"),
    (r"<\|channel\|>analysis", "<|channel|>final"),
    *((rf"^[ \t]*<{name}(?:\s[^<>]*)?>", f"</{name}>") for name in _HIDING_TAG_NAMES),
)
"""Patterns of the tags that hide the text after them, each with its closing tag, in lower case.

A name within a line hides nothing.
"""
_CLOSING_MARKS: Final = {
    **_CLOSING_QUOTES,
    **{"~~": "~~", "<!--": "-->"},
    **{f"<{name}": f"</{name}>" for name in _HIDING_TAG_NAMES},
}
_REASONING: Final = re.compile(
    rf"\s*<({'|'.join(_REASONING_TAG_NAMES)})>(?:(?!</?\1>).)*</\1>(?!.*</?\1>)", re.DOTALL | re.IGNORECASE
)


class UnclearAnswerError(ValueError):
    """Error for a text without an answer of the expected form.

    `kind`: key of the phrase that describes the fault. `values`: values for the placeholders of the phrase.
    """

    def __init__(self, kind: str = "none", **values: object) -> None:
        super().__init__(f"{kind}: {values}" if values else kind)
        self.kind, self.values = kind, values


def remove_invisible(text: str) -> str:
    """Return a text without invisible characters, in Unicode's compatibility form.

    Powers, fractions and full-width commas stay the same.
    """
    return text if text.isascii() else unicodedata.normalize("NFC", "".join(map(_make_compatible, text)))


@lru_cache(maxsize=4096)
def _make_compatible(character: str) -> str:
    if unicodedata.category(character) == "Cf":
        return ""
    is_kept = character in _KEPT_CHARACTERS or unicodedata.decomposition(character).startswith(_KEPT_FORMS)
    is_kept = is_kept or unicodedata.category(character) == "No"  # such as ①, which could be the mark of a note
    return character if is_kept else unicodedata.normalize("NFKC", character)


def ends_in_code_or_hidden_passage(text: str) -> bool:
    """Return whether a text ends inside a code block or a hidden passage."""
    return any(list_code_blocks(text.splitlines())[-1:]) or ends_in_hidden_passage(text)


def list_code_blocks(lines: Iterable[str]) -> list[str]:
    """Return for each line the opening line of its code block; empty outside a block.

    A line within the block that names another language replaces the opening line.
    """
    first_lines, first_line, fence = list[str](), "", ""
    for line in map(str.strip, lines):
        mark = _FENCE.match(line)
        if mark and not fence:
            first_line, fence = line, mark[1]
        elif fence and line.startswith(fence) and not line.strip(fence[0]):
            first_line = fence = ""
        elif mark and line != mark[1]:
            first_line = line
        first_lines.append(first_line)
    return first_lines


def ends_in_hidden_passage(text: str) -> bool:
    """Return whether a text ends inside hidden reasoning, a comment, or a struck or quoted passage."""
    text = re.sub(r"(?<!`)`(?!`)[^`\n]*`(?!`)", "", "\n".join(text.splitlines())).lower().replace("‹", "<")
    return any(re.search(opening, text.rpartition(closing)[2], re.MULTILINE) for opening, closing in _HIDING_TAGS)


def strip_reasoning(text: str) -> str:
    """Strip the hidden reasoning from the beginning of a reply, if it has exactly one closing tag."""
    return text[match.end() :] if (match := _REASONING.match(text)) else text


def closes_quotation(text: str) -> bool:
    """Return whether a text closes a quoted, struck or hidden passage that it does not open."""
    text = text.rstrip(FINAL_STOPS + EMPHASIS + " ")
    marks = [(opening, closing) for opening, closing in _CLOSING_MARKS.items() if text.endswith(closing)]
    return bool(marks) and not any(
        opening in text.removesuffix(closing).rstrip(closing[-1]) for opening, closing in marks
    )


def opens_quotation(text: str) -> bool:
    """Return whether a text begins with a quotation mark, other than an apostrophe, and never closes it."""
    text = text.strip(EMPHASIS + " ")
    return text[:1] in {*_CLOSING_QUOTES} - {*"'‘"} and not any(mark in text[1:] for mark in _CLOSING_QUOTES.values())


def clean_answer(text: str) -> str:
    """Return an answer without emphasis and quotation marks around it, and without a final stop or `!`.

    The mark of a factorial, as in `5!`, stays.
    """
    text = strip_quotes(resolve_stars(remove_invisible(text)))
    # `5!` may be a factorial, and `B..` breaks off.
    has_stop = text.endswith(tuple(FINAL_STOPS)) and not re.search(
        f"(?:[1-9]|[0-9]0)!$|[{FINAL_STOPS}] *[{FINAL_STOPS}]$", text
    )
    return strip_quotes(text[:-1].removeprefix("¡")) if has_stop else text


def resolve_stars(text: str) -> str:
    """Return a text without pairs of stars.

    The mark of a note, as in `B*`, becomes `∗`, which no reader strips.
    """
    return _STARS.sub(lambda match: (match["text"] or "") + ("∗" if match["note"] or not match["text"] else ""), text)


def strip_quotes(text: str) -> str:
    """Return a text without blanks, marks of emphasis and pairs of quotation marks around it."""
    margin = EMPHASIS + " \t"
    text = text.strip(margin)
    while len(text) > 1 and _CLOSING_QUOTES.get(text[0]) == text[-1] and not {text[0], text[-1]} & {*text[1:-1]}:
        text = text[1:-1].strip(margin)
    return text


def normalize_wording(text: str) -> str:
    """Return a text for comparison: lower case, single blanks, no emphasis or quotation marks."""
    return " ".join(strip_marks(clean_answer(text)).casefold().split())


def strip_marks(text: str) -> str:
    """Return a text with unified commas, and without emphasis and quotation marks except between digits."""
    return _REMOVABLE_MARKS.sub("", text).replace("，", ",").replace("；", ";")
