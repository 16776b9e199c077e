"""Giving in as an act: a last line of its own, such as `I concede.`"""

import re
import unicodedata
from collections.abc import Collection

_MARKS = "*_`~ \t"
"""Marks of emphasis and code that may stand around the line."""


def is_concession(text: str, lines: Collection[str]) -> bool:
    """Return whether the last line of `text` is one of `lines`, alone.

    Blank lines and lines of Markdown marks may follow it. Letter case and the full stop do not matter.
    """
    own_lines = [line for line in map(_normalize_line, text.splitlines()) if line.strip("-=#")]
    return bool(own_lines) and own_lines[-1] in map(_normalize_line, lines)


def _normalize_line(line: str) -> str:
    visible_text = "".join(character for character in line if unicodedata.category(character) != "Cf")
    text = unicodedata.normalize("NFKC", visible_text).strip().strip(_MARKS)
    return " ".join(re.sub("[.。]$", "", text).strip(_MARKS).casefold().split())
