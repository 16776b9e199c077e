"""Citations in a text: `[@id]`, a bare `@id`, or author and year."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .citation_key import PAPER_ID_LENGTH, extract_family_name
from .paper import Paper

_AT_ID = re.compile(r"(?<![A-Za-z0-9_.+@])@([^\s\[\]［］【】;,，；、@]+)")
_ID_TEXT = re.compile(r"[^(){}<>|（）。！？“”„‘’\"«»「」『』]+")
_TRAILING_MARKS = ".:?!*_`'’…-/\\"
_NAME = r"(?:(?:van|von|der|den|del?|della|las?|le|di|da|dos) )*[A-ZÀ-ÖØ-Ý][\w'’-]+(?: [A-ZÀ-ÖØ-Ý][\w'’.-]*){0,2}"
_JOINER = r"(?:,? (?:and|&|y|e|et|und) |, )"
_OTHERS = r" et al\.?| and others| y otros| y cols\."
_AUTHOR_YEAR = re.compile(
    rf"(?:(?:see|cf\.?|e\.g\.,?|véase|p\. ej\.,?) )?(?P<name>{_NAME})"
    rf"(?:(?:{_JOINER}{_NAME}){{0,8}}(?:{_OTHERS})?,|{_OTHERS}) ?(?P<year>(?:19|20)[0-9]{{2}})[a-z]?(?:[,:] ?[^;]*)?"
    r"|(?:参见|见)?(?P<han>[\u4e00-\u9fff]{2,4}?)(?:[、和与][\u4e00-\u9fff]{2,4}){0,8}(?:等人?)?[,，] ?"
    r"(?P<made>(?:19|20)\d\d)年?"
)
_SEVERAL_AUTHORS = re.compile(rf"{_OTHERS}| (?:and|&|y|e|et|und) |[等和与、]")
_IN_BRACKETS = re.compile(r"[(（]([^()（）\n]{6,200})[)）]")
_MONTHS = """
    january february march april may june july august september october november december enero febrero marzo abril mayo
    junio julio agosto septiembre octubre noviembre diciembre
"""


class Citation(NamedTuple):
    """Mention of a paper, from `start` to `end`, where its id or its year ends.

    `label`: its display form, `[@id]` or `(Smith, 2019)`. `id`: empty where author and year are cited.
    """

    start: int
    end: int
    label: str
    id: str = ""


def list_citations(text: str, papers: Sequence[Paper] = ()) -> list[Citation]:
    """List every `@id` in or out of brackets, in order.

    An id of one of `papers` is recognized whatever characters follow it.
    """
    known_ids = {paper.id for paper in papers}
    citations = []
    for match in _AT_ID.finditer(text):
        if id := _extract_id(match[1], known_ids):
            citations.append(Citation(label=f"[@{id}]", id=id, start=match.start(), end=match.start() + 1 + len(id)))
    return citations


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


def list_unknown_citations(text: str, papers: Sequence[Paper]) -> list[Citation]:
    """List the citations, by id or as `(Smith, 2019)`, of papers that are not in `papers`, in order."""
    known_ids = {paper.id for paper in papers}
    unknown_citations = [citation for citation in list_citations(text, papers) if citation.id not in known_ids]
    return sorted([*unknown_citations, *_list_unmatched_authors(text, papers)])


def _list_unmatched_authors(text: str, papers: Sequence[Paper]) -> Iterator[Citation]:
    """Yield the citations by author and year, in round brackets, that fit no paper.

    A single name with a year is a citation only if one of these papers has that author: `(Madrid, 2021)`
    may be a place. Several names, or a name with others (`Jones & Brown`, `Jones et al.`), are always a
    citation.
    """
    for bracket in _IN_BRACKETS.finditer(text):
        offset = bracket.start(1)
        for part in re.split("([;；])", bracket[1]):
            citation_text = part.strip()
            match = _AUTHOR_YEAR.fullmatch(citation_text)
            if match and _lacks_paper(match, papers):
                start = offset + part.index(citation_text)
                end = start + match.end("year" if match["year"] else "made")
                yield Citation(label=f"({citation_text})", start=start, end=end)
            offset += len(part)


def _lacks_paper(match: re.Match[str], papers: Sequence[Paper]) -> bool:
    """Return whether a name and a year are a citation that fits no paper; a month is no name."""
    name_group, year_group = ("name", "year") if match["name"] else ("han", "made")
    name, year = match[name_group], int(match[year_group])
    family = extract_family_name(name)
    rows = [({extract_family_name(author) for author in paper.authors}, paper.year) for paper in papers]
    text_between = match.string[match.end(name_group) : match.start(year_group)]
    is_citation = any(family in families for families, _ in rows) or _SEVERAL_AUTHORS.search(text_between)
    if not is_citation or name.casefold() in _MONTHS.split():
        return False
    return not any(
        paper_year in (year, None) if family in families else not families and paper_year == year
        for families, paper_year in rows
    )
