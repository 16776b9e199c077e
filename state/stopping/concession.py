"""Concessions in statements: the formal line, and phrases that suggest a concession."""

import re
from collections.abc import Collection, Sequence

from ..answers.text import drop_pairs, ends_in_passage, remove_invisible
from ..ending import Ending, Evidence, cut_quote
from ..statement import Statement
from ..text_editing import strip_quotations

CONCESSION_PHRASES = (
    "you're right",
    "i agree",
    "fair point",
    "i concede",
    "you've convinced me",
    "i accept your argument",
    "you make a valid point",
)
"""Substrings of a lower-cased statement, in the order of the search."""

_MARKS = "-=#`*_ \t"
_INTRODUCTION = re.compile(r"(?:[,:;，；、–—](?:[-=#~`*_\s\\\"'“„‘«‹「『]|<[^<>]*>)*|[“„«‹「『]\s*)$")
"""End of a text that continues or quotes, such as a colon before marks or tags."""
_QUOTE = re.compile(r"^[\s\d.)*+-]*>", re.MULTILINE)
"""Start of a quoted line. Markdown also quotes the rest of its paragraph."""


def has_concession_line(text: str, lines: Collection[str]) -> bool:
    """Return whether `text` ends with one of `lines`, the lines for a formal concession.

    Blank lines and lines of Markdown marks may follow it. Letter case and the full stop do not matter. Return `False`
    for a line inside a code block, quotation, strikethrough or comment, or after a comma or colon. Such a line may be a
    condition or another participant's words.
    """
    *earlier_lines, last_line = map(remove_invisible, _list_lines(text) or [""])
    earlier_text = "\n".join([*earlier_lines, ""])
    return not (
        last_line.expandtabs(4).startswith(" " * 4)
        or _fold_line(last_line) not in map(_fold_line, lines)
        or _INTRODUCTION.search(earlier_text)
        or _QUOTE.search(re.split(r"\n\s*\n", earlier_text)[-1])
        or ends_in_passage(earlier_text)
    )


def _list_lines(text: str) -> list[str]:
    """Return the lines of a statement up to the last one that has words, not only blanks and marks."""
    lines = text.splitlines()
    while lines and not remove_invisible(lines[-1]).strip(_MARKS):
        lines.pop()
    return lines


def _fold_line(line: str) -> str:
    """Return `line` in lower case without emphasis and full stop."""
    return " ".join(re.sub("[.。]$", "", drop_pairs(line.strip())).casefold().split())


def find_formal_concession(history: Sequence[Statement]) -> Ending | None:
    """Return the ending if a participant has formally conceded, or `None`.

    A concession counts only until the participant speaks again.
    """
    latest_statements = {statement.speaker: statement for statement in history}
    statement = next((statement for statement in latest_statements.values() if statement.act == "concede"), None)
    if statement is None:
        return None
    evidence = Evidence(turns=[statement.turn], quote=cut_quote(_list_lines(statement.content)[-1].strip()))
    return Ending(reason="concession_detected", strategy="asked", evidence=evidence)


def find_conceding_sentence(text: str, lines: Collection[str] = ()) -> str:
    """Return the first sentence with a concession phrase, or an empty text. Quotations are ignored.

    `lines`: the lines for a formal concession, which also count as phrases.
    """
    phrases = (*CONCESSION_PHRASES, *map(_fold_line, lines))
    sentences = re.findall(r"[^.!?\n]+[.!?]*", strip_quotations(text))
    return next((sentence.strip() for sentence in sentences if find_concession_phrase(sentence, phrases)), "")


def find_concession_phrase(text: str, phrases: Sequence[str] = CONCESSION_PHRASES) -> str:
    """Return the first of `phrases` that occurs in `text`, or an empty text."""
    folded_text = text.lower().replace("’", "'")
    return next((phrase for phrase in phrases if phrase in folded_text), "")
