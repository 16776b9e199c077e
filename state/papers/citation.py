"""Citations: which papers a text names, as `[@id]`, as a bare `@id`, or by author and year."""

import re
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from .paper import ID_LENGTH, Paper, family

_AT = re.compile(r"(?<![A-Za-z0-9_.+@])@([^\s\[\]［］【】;,，；、@]+)")
_SHOWN = re.compile(r"[^(){}<>|（）。！？“”„‘’\"«»「」『』]+")
_ENDS = ".:?!*_`'’…-/\\"
_NAME = r"(?:(?:van|von|der|den|del?|della|las?|le|di|da|dos) )*[A-ZÀ-ÖØ-Ý][\w'’-]+(?: [A-ZÀ-ÖØ-Ý][\w'’.-]*){0,2}"
_JOINT = r"(?:,? (?:and|&|y|e|et|und) |, )"
_OTHERS = r" et al\.?| and others| y otros| y cols\."
_DATED = re.compile(
    rf"(?:(?:see|cf\.?|e\.g\.,?|véase|p\. ej\.,?) )?(?P<name>{_NAME})"
    rf"(?:(?:{_JOINT}{_NAME}){{0,8}}(?:{_OTHERS})?,|{_OTHERS}) ?(?P<year>(?:19|20)[0-9]{{2}})[a-z]?(?:[,:] ?[^;]*)?"
    r"|(?:参见|见)?(?P<han>[\u4e00-\u9fff]{2,4}?)(?:[、和与][\u4e00-\u9fff]{2,4}){0,8}(?:等人?)?[,，] ?"
    r"(?P<made>(?:19|20)\d\d)年?"
)
_SEVERAL = re.compile(rf"{_OTHERS}| (?:and|&|y|e|et|und) |[等和与、]")
_IN_BRACKETS = re.compile(r"[(（]([^()（）\n]{6,200})[)）]")
_MONTHS = """
    january february march april may june july august september october november december enero febrero marzo abril mayo
    junio julio agosto septiembre octubre noviembre diciembre
"""


class Citation(NamedTuple):
    """One mention of a paper, from `start` to `end`, where its id or its year ends.

    `shown`: how it is told, `[@id]` or `(Smith, 2019)`; `id`: empty where author and year are cited.
    """

    start: int
    end: int
    shown: str
    id: str = ""


def citations(text: str, papers: Sequence[Paper] = ()) -> list[Citation]:
    """Every `@id` in or out of brackets, in order; an id that a paper has is read as that, whatever follows it."""
    known = {paper.id for paper in papers}
    found = []
    for match in _AT.finditer(text):
        if id := _read(match[1], known):
            found.append(Citation(shown=f"[@{id}]", id=id, start=match.start(), end=match.start() + 1 + len(id)))
    return found


def _read(token: str, known: set[str]) -> str:
    """The id a token begins with: a known one, else all up to a bracket or a mark."""
    for end in range(min(len(token), ID_LENGTH), 0, -1):
        if token[:end] in known and not _goes_on(token, end):
            return token[:end]
    shown = _SHOWN.match(token)
    return shown[0].rstrip(_ENDS) if shown else ""


def _goes_on(token: str, end: int) -> bool:
    """Whether the id is longer than its first `end` characters: a word of the same script goes on there."""
    joined = token[end : end + ID_LENGTH].lstrip("-._:/+")
    same = joined[:1].isascii() == token[end - 1].isascii()
    return joined[:1].isalnum() and (same or not token.startswith(joined[0], end))


def cited_ids(text: str, papers: Sequence[Paper] = ()) -> list[str]:
    """The ids a text cites, each once, in order of appearance."""
    return list(dict.fromkeys(one.id for one in citations(text, papers)))


def unknown(text: str, papers: Sequence[Paper]) -> list[Citation]:
    """The citations of papers that are not among these, by id or as `(Smith, 2019)`, in order."""
    known = {paper.id for paper in papers}
    invented = [one for one in citations(text, papers) if one.id not in known]
    return sorted([*invented, *_dated(text, papers)])


def _dated(text: str, papers: Sequence[Paper]) -> Iterator[Citation]:
    """Authors and years in round brackets that fit no paper.

    A name alone with a year is an author's only where one of these papers has that author: `(Madrid, 2021)` may as well
    be a place, and nothing is guessed. Several names, and a name with others (`Jones & Brown`, `Jones et al.`), cite.
    """
    known = {family(author) for paper in papers for author in paper.authors}
    for bracket in _IN_BRACKETS.finditer(text):
        place = bracket.start(1)
        for part in re.split("([;；])", bracket[1]):
            bare = part.strip()
            found = _DATED.fullmatch(bare)
            if found and _cites(found, known) and not _fits(*_author_and_year(found), papers):
                start = place + part.index(bare)
                end = start + found.end("year" if found["year"] else "made")
                yield Citation(shown=f"({bare})", start=start, end=end)
            place += len(part)


def _author_and_year(found: re.Match[str]) -> tuple[str, str]:
    return found["name"] or found["han"], found["year"] or found["made"]


def _cites(found: re.Match[str], known: Set[str]) -> bool:
    """Whether a name and a year are a citation: of an author there is, or in the form of several authors."""
    name, _ = _author_and_year(found)
    begin, end = ("name", "year") if found["name"] else ("han", "made")
    between = found.string[found.end(begin) : found.start(end)]
    return family(name) in known or _SEVERAL.search(between) is not None


def _fits(name: str, year: str, papers: Sequence[Paper]) -> bool:
    """Whether one of the papers is of that author and year, as far as they are known; a month is no author."""
    if name.casefold() in _MONTHS.split():
        return True
    wanted = family(name)
    for paper in papers:
        by = {family(author) for author in paper.authors}
        if (wanted in by and paper.year in (int(year), None)) or (not by and paper.year == int(year)):
            return True
    return False
