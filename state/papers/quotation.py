"""Quotations: what a text puts in quotation marks or sets as a block, and whether a paper says it."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from ..lexical import is_ideograph
from .citation import Citation, citations
from .paper import Paper
from .source import Source, source_of

_CLOSING = {"“": "”", "„": "“”", "”": "”", "«": "»", "»": "«", "‹": "›", "›": "‹", "「": "」", "『": "』", "‘": "’"}
_CLOSING |= {"‚": "‘’", '"': '"'}
_MARK = re.compile(r"[“”„«»‹›「」『』‘’‚\"]|\n[^\S\n]*(?=\n)")
_BLOCK = re.compile(r"(?m)^[ \t]{0,3}>[^\n]*(?:\n[ \t]{0,3}>[^\n]*)*")
_SOURCE_LINE = re.compile(r"(?:^|\s)[—–-]{1,3} ?[^\n—–]{1,120}$")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]|\n\s*\n")
_AT_ONCE = re.compile(
    r"[.,!?。，！？]?[”’\"»」』›*_]*[\s—–-]*[\[(（［【\\]*\s*(?:(?:see|cf\.?|véase|参见|见)\s*)?-?", re.IGNORECASE
)
_AND = re.compile(r"[^\w@]{0,8}")
_GROUP = re.compile(r"[\[［【(（][^\[\]［］【】()（）]*@(?:[^\[\]［］【】()（）]|\[[^\[\]]*\])*[\]］】)）]")
_REACH = 80
"""Characters that may lie between a quotation and the citation it belongs to."""
_DEEPEST = 8
"""Quotation marks that may be open at once."""


class Quotation(NamedTuple):
    """Words given as somebody else's, from `start`, where their mark opens, to `end`, where it is closed.

    `words`: without marks and citations; `ids`: of the papers cited next to them, empty where none is near.
    """

    start: int
    end: int
    words: str
    ids: list[str]


class Shelf:
    """What may be quoted: papers, by id, and what else was `said`; each is read when it is first needed."""

    def __init__(self, papers: Sequence[Paper], said: Sequence[str] = ()) -> None:
        self.papers = {paper.id: paper for paper in papers}
        self._said, self._read = "\n\n".join(said), dict[str, Source]()

    def _source(self, id: str) -> Source:
        if id not in self._read:
            self._read[id] = source_of(self.papers[id]) if id else Source(self._said)
        return self._read[id]

    def holds(self, quotation: Quotation) -> bool:
        """Whether one of the papers cited for it says it; where none is cited near it, any paper, or what was said.

        A quotation from unknown papers alone is left to those who look at citations.
        """
        near = [id for id in quotation.ids if id in self.papers]
        if quotation.ids and not near:
            return True
        return any(self._source(id).holds(quotation.words) for id in near or [*self.papers, ""])


def misquoted(text: str, shelf: Shelf) -> list[Quotation]:
    """The quotations that do not stand where they should, in order.

    One that may end at several marks, such as `‘the shops’ owners said so’`, is right if it is so up to one of them.
    """
    wrong: dict[int, Quotation] = {}
    right: set[int] = set()
    for one in quotations(text, list(shelf.papers.values())):
        if shelf.holds(one):
            right.add(one.start)
        else:
            wrong.setdefault(one.start, one)
    return [one for start, one in sorted(wrong.items()) if start not in right]


def quotations(text: str, papers: Sequence[Paper] = ()) -> list[Quotation]:
    """Quoted passages of at least three words or eight ideographs, each with the papers cited inside or next to it.

    Between marks, nested ones too, or set as a block. The citation after a quotation counts, else the one before it,
    in the same sentence. Shorter words in quotation marks are names or irony.
    """
    marked = sorted(_marked(text))
    begins = [start for start, _ in marked]
    blocks = [match.span() for match in _BLOCK.finditer(text)]
    alone = [span for span in blocks if bisect_left(begins, span[0]) == bisect_left(begins, span[1])]
    cites, found = citations(text, papers), []
    places = [one.start for one in cites]
    for start, end in sorted([*marked, *alone]):
        words = _words(text[start:end])
        if len(words.split()) >= 3 or sum(map(is_ideograph, words)) >= 8:
            inside = cites[bisect_left(places, start) : bisect_left(places, end)]
            ids = [one.id for one in inside] or _after(text, end, begins, cites, places)
            ids = ids or _before(text, start, cites, places)
            found.append(Quotation(words=words, ids=ids, start=start, end=end))
    return found


def _words(shown: str) -> str:
    """A passage without its marks, citations, and the line of its source."""
    if not shown.lstrip().startswith(">"):
        return _GROUP.sub("", shown[1:-1]).strip()
    lines = "\n".join(line.lstrip(" \t>") for line in shown.split("\n"))
    bare = _GROUP.sub("", lines).strip()
    return _SOURCE_LINE.sub("", bare).strip()


def _marked(text: str) -> Iterator[tuple[int, int]]:
    """Where passages in quotation marks begin and end; a mark that is never closed in its paragraph opens none."""
    opened: list[tuple[str, int]] = []
    for match in _MARK.finditer(text):
        mark, place = match[0], match.start()
        before, after = text[place - 1 : place], text[place + 1 : place + 2]
        if mark[0] == "\n":
            opened.clear()
        elif mark in "‘’" and before.isalnum() and after.isalnum():
            continue
        elif (depth := _closes(mark, before, opened)) is not None:
            yield opened[depth][1], match.end()
            del opened[depth + (mark == "’" and before == "s") :]
        elif _opens(mark, before, after):
            opened = [*opened[1 - _DEEPEST :], (mark, place)]


def _closes(mark: str, before: str, opened: list[tuple[str, int]]) -> int | None:
    """Which open mark this one closes, the innermost first; none where it closes none."""
    if mark == '"' and (not before or before.isspace()):
        return None
    return next((depth for depth in range(len(opened) - 1, -1, -1) if mark in _CLOSING[opened[depth][0]]), None)


def _opens(mark: str, before: str, after: str) -> bool:
    if mark in "’」』":
        return False
    return mark not in '”"' or (bool(after) and not after.isspace() and not (before.isascii() and before.isalnum()))


def _after(text: str, end: int, begins: list[int], cites: list[Citation], places: list[int]) -> list[str]:
    """The papers cited at once after a quotation, else within reach in its sentence and before another quotation."""
    place = bisect_left(places, end)
    if place == len(cites):
        return []
    between = text[end : min(cites[place].start, end + _REACH + 1)]
    if not _AT_ONCE.fullmatch(between):
        following = bisect_left(begins, end)
        other = following < len(begins) and begins[following] < cites[place].start
        if other or len(between) > _REACH or _SENTENCE_END.search(between):
            return []
    return _with_next(text, cites, place)


def _before(text: str, start: int, cites: list[Citation], places: list[int]) -> list[str]:
    """The papers cited within reach before a quotation, in its sentence."""
    place = bisect_left(places, start) - 1
    if place < 0 or start - cites[place].end > _REACH or _SENTENCE_END.search(text[cites[place].end : start]):
        return []
    while place and _AND.fullmatch(text[cites[place - 1].end : cites[place].start]):
        place -= 1
    return _with_next(text, cites, place)


def _with_next(text: str, cites: list[Citation], place: int) -> list[str]:
    """A citation and those in the same brackets."""
    ids = [cites[place].id]
    while place + 1 < len(cites):
        between = text[cites[place].end : cites[place + 1].start]
        if not _AND.fullmatch(between) or re.search(r"[\]］】)）]", between):
            break
        place += 1
        ids.append(cites[place].id)
    return ids


def outside(cites: Sequence[Citation], quoted: Sequence[Quotation]) -> list[Citation]:
    """The citations that are not within a quotation."""
    starts = [one.start for one in quoted]
    ends = [0, *accumulate((one.end for one in quoted), max)]
    return [one for one in cites if ends[bisect_left(starts, one.start)] <= one.start]
