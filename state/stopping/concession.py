"""Concessions in statements: the formal line, and phrases that suggest a concession."""

import re
import unicodedata
from collections.abc import Collection, Sequence

from ..ending import Ending, Evidence, cut_quote
from ..statement import Statement
from ..text import strip_quotations

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

_CONCESSION_MARKS = "*_` \t"
"""Marks of emphasis and code that may stand around the line. They exclude strikethrough, which withdraws the line."""


def has_concession_line(text: str, lines: Collection[str]) -> bool:
    """Return whether the last line of a statement is one of `lines`, the lines for a formal concession.

    Blank lines and lines of Markdown marks may follow it. Letter case and the full stop do not matter.
    """
    own_lines = [line for line in map(_normalize_line, text.splitlines()) if line.strip("-=#~")]
    return bool(own_lines) and own_lines[-1] in map(_normalize_line, lines)


def _normalize_line(line: str) -> str:
    visible_text = "".join(character for character in line if unicodedata.category(character) != "Cf")
    text = unicodedata.normalize("NFKC", visible_text).strip().strip(_CONCESSION_MARKS)
    return " ".join(re.sub("[.。]$", "", text).strip(_CONCESSION_MARKS).casefold().split())


def find_formal_concession(history: Sequence[Statement]) -> Ending | None:
    """Return the ending if a participant has formally conceded, or `None`.

    A concession no longer counts once the participant speaks again.
    """
    latest_statements = {statement.speaker: statement for statement in history}
    statement = next((statement for statement in latest_statements.values() if statement.act == "concede"), None)
    if statement is None:
        return None
    evidence = Evidence(turns=[statement.turn], quote=cut_quote(statement.content.strip().splitlines()[-1]))
    return Ending(reason="concession_detected", strategy="asked", evidence=evidence)


def find_conceding_sentence(text: str) -> str:
    """Return the first sentence with a concession phrase, or an empty text. Quotations are ignored."""
    sentences = re.findall(r"[^.!?\n]+[.!?]*", strip_quotations(text))
    return next((sentence.strip() for sentence in sentences if find_concession_phrase(sentence)), "")


def find_concession_phrase(text: str) -> str:
    """Return the first phrase of `CONCESSION_PHRASES` in a text, or an empty text."""
    folded_text = text.lower().replace("’", "'")
    return next((phrase for phrase in CONCESSION_PHRASES if phrase in folded_text), "")
