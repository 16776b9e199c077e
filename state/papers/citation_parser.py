r"""Citations in a text by a paper's id: `[@id]`, `@id`, `\cite{id}`, and footnotes `^[id]` and `[^id]`."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from .citation_key import PAPER_ID_LENGTH
from .paper import Paper

_AT_ID = re.compile(r"(?:(?<![A-Za-z0-9_.+@＠])[@＠]|(?<=[\[［【])[@＠] )([^\s\[\]［］【】;,，；、@＠]+)")
_LATEX_CITATION = re.compile(r"\\[a-z]{0,8}cite[a-z]{0,8}\*?(?:\[[^\[\]\n]{0,80}\]){0,2}\{([^{}\n]{1,400})\}")
_LATEX_KEY = re.compile(r"([^\s,;]+)")
_FOOTNOTE = re.compile(r"(?:\^\[|\[\^)([^\s\[\]@]{1,80})\](?!:)")
_KEY = re.compile(r"(?!L\d+[a-z]*\.\d)(?=.*[^\W\d_])(?=.*\d\d)")  # not the id of a look-up
_ID_TEXT = re.compile(r"[^(){}<>|（）。！？“”„‘’\"«»「」『』]+")
_TRAILING_MARKS = ".:?!*_`'’…-/\\"


class Citation(NamedTuple):
    """Mention of a paper in a text, from `start` to `end`.

    `label`: the mention as displayed, `[@id]` or `(Smith, 2019)`. `id`: empty for a mention without an id.
    `is_certain`: `False` if the words may mean something other than a paper.
    """

    start: int
    end: int
    label: str
    id: str = ""
    is_certain: bool = True


def list_citations(text: str, papers: Sequence[Paper] = ()) -> list[Citation]:
    """Return the citations by id in `text`, in order, in the forms that this module lists.

    An id of one of `papers` is recognized whatever character follows. In a footnote, an unknown id must have letters
    and a number, and is uncertain.
    """
    known_ids = {paper.id for paper in papers}
    citations = []
    matches = [(match.start(), match) for match in _AT_ID.finditer(text)]
    matches += [
        (group.start(), match)
        for group in _LATEX_CITATION.finditer(text)
        for match in _LATEX_KEY.finditer(text, *group.span(1))
    ]
    for start, match in matches:
        if id := _extract_id(match[1], known_ids):
            citations.append(Citation(label=f"[@{id}]", id=id, start=start, end=match.start(1) + len(id)))
    for match in _FOOTNOTE.finditer(text):
        is_known = match[1] in known_ids
        if is_known or _KEY.match(match[1]):
            end = match.end(1) if is_known else match.end()
            citations.append(Citation(match.start(), end, match[0], match[1], is_certain=is_known))
    return sorted(citations)


def _extract_id(token: str, known_ids: set[str]) -> str:
    for end in range(min(len(token), PAPER_ID_LENGTH), 0, -1):
        if token[:end] in known_ids and not _has_longer_id(token, end):
            return token[:end]
    match = _ID_TEXT.match(token)
    return match[0].rstrip(_TRAILING_MARKS) if match else ""


def _has_longer_id(token: str, end: int) -> bool:
    remainder = token[end : end + PAPER_ID_LENGTH].lstrip("-._:/+")
    is_same_script = remainder[:1].isascii() == token[end - 1].isascii()
    return remainder[:1].isalnum() and (is_same_script or not token.startswith(remainder[0], end))


def list_cited_ids(text: str, papers: Sequence[Paper] = ()) -> list[str]:
    """List the ids that a text cites, each once, in order of appearance."""
    return list(dict.fromkeys(citation.id for citation in list_citations(text, papers)))
