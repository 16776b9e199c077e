"""Citations of look-ups in a text, such as `[L3.2]` or `[L3.2, L4.1]`."""

import re
from collections.abc import Callable

_ID = re.compile(r"@?(L\d{1,6}[a-z]{0,4}\.\d{1,4})")
_CITATION = re.compile(rf"[\[［【]\s*{_ID.pattern}(?:\s*[,，、;；]\s*{_ID.pattern})*\s*[\]］】](?!\()")


def list_cited_lookup_ids(text: str) -> list[str]:
    """List the ids of the look-ups that a text cites, each once, in order of first mention."""
    return list(dict.fromkeys(id for citation in _CITATION.finditer(text) for id in _ID.findall(citation[0])))


def rewrite_lookup_ids(text: str, write: Callable[[str], str]) -> str:
    """Replace each id in the citations of a text by the result of `write` for it.

    An `@` before the id is dropped.
    """
    return _CITATION.sub(lambda citation: _ID.sub(lambda match: write(match[1]), citation[0]), text)
