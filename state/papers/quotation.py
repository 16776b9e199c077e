"""Quotations: what a text puts in quotation marks or sets as a block, and whether a paper says it."""

import re
import unicodedata
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from ..terms import is_ideograph
from .citation import Citation, citations
from .paper import Paper

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
_TRIED = 100
"""Places tried for the parts of a quotation with words left out."""

_MARKS = dict.fromkeys(map(ord, "\"'`´‘’‚‛“”„‟«»‹›「」『』《》〈〉*_"))
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_ELISION = re.compile(r"[\[(]? ?(?:\. ?){3,}[\])]?")
_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])-[^\S\n]*\n\s*(?=[^\W\d_])")
_LOOSE = re.compile(r"(?<=[^\W\d_])[\s-]+(?=[^\W\d_])|\s+")
_EDGES = " \t\n.,;:!?。，；：！？、-"
_CLAUSE_END = re.compile(r"[.,;:!?。，；：！？、()]")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nor|neither|cannot|without|hardly|(?:do|does|did|is|are|was|were|has|have|had|ca|wo|would|"
    r"could|should|must|need)nt|nunca|jamás|tampoco|ni|sin|ning[uú]n\w*|nada|nadie|nicht|kein\w*|nie|ne|pas)\b"
    "|[不没沒莫勿否]|[無无](?!论|論)|未(?!来|來)|非(?!常)"
)


class Quotation(NamedTuple):
    """Words given as somebody else's, from `start`, where their mark opens, to `end`, where it is closed.

    `words`: without marks and citations; `ids`: of the papers cited next to them, empty where none is near.
    """

    start: int
    end: int
    words: str
    ids: list[str]


class Source:
    """A text in which quotations are looked for.

    Case, width, white space, quotation marks, emphasis, invisible characters and hyphens between letters do not count.
    """

    def __init__(self, text: str) -> None:
        self.plain = _plain(text)
        pieces, self.places, begin = [], array("L"), 0
        for gap in [*_LOOSE.finditer(self.plain), None]:
            end = gap.start() if gap else len(self.plain)
            pieces.append(self.plain[begin:end])
            self.places.extend(range(begin, end))
            begin = gap.end() if gap else end
        self.squeezed = "".join(pieces)

    def holds(self, quote: str) -> bool:
        """Whether the quote stands here: each part between ellipses, in order, and no negation left out beside one.

        A part must begin and end where words do, so that "safe" is not quoted from "unsafe". A blank quote is nowhere.
        """
        parts = [part.strip(_EDGES) for part in _ELISION.split(" ".join(_plain(quote).split()))]
        wanted = [_LOOSE.sub("", part) for part in parts if part]
        return bool(wanted) and self._in_order(wanted)

    def _in_order(self, parts: list[str]) -> bool:
        """Depth-first over where the parts stand, within a bounded number of tries."""
        left, open_at = _TRIED, [self._places(parts[0], 0)]
        ends: list[int] = []
        while open_at and left:
            left -= 1
            found = next(open_at[-1], None)
            del ends[len(open_at) - 1 :]
            if found is None:
                open_at.pop()
                continue
            first, last = found
            if ends and self._turned(ends[-1], first):
                continue
            if len(open_at) == len(parts):
                return True
            ends.append(last)
            open_at.append(self._places(parts[len(open_at)], last + 1))
        return False

    def _places(self, part: str, start: int) -> Iterator[tuple[int, int]]:
        """First and last squeezed character of each place where a part stands between words."""
        place = self.squeezed.find(part, start)
        while place >= 0:
            last = place + len(part) - 1
            if self._is_whole(part, self.places[place], self.places[last]):
                yield place, last
            place = self.squeezed.find(part, place + 1)

    def _is_whole(self, part: str, first: int, last: int) -> bool:
        before, after = self.plain[max(0, first - 2) : first], self.plain[last + 1 : last + 3]
        begins = is_ideograph(part[0]) or not _ends_in_word(before)
        return begins and (is_ideograph(part[-1]) or not _ends_in_word(after[::-1]))

    def _turned(self, last: int, first: int) -> bool:
        """Whether what lies between two parts negates one of them: a negation in the clause that touches it."""
        clauses = _CLAUSE_END.split(self.plain[self.places[last] + 1 : self.places[first]])
        return any(_NEGATION.search(clause) for clause in (clauses[0], clauses[-1]))


def _ends_in_word(text: str) -> bool:
    """Whether a word, or a word and a hyphen, ends a text; ideographs are no part of another script's word."""
    tail = text.rstrip("-") if text.endswith("-") and not text.endswith("--") else text
    return bool(tail) and (tail[-1].isalnum() or tail[-1] == "_") and not is_ideograph(tail[-1])


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_MARKS).translate(_DASHES)
    if not folded.isascii():
        folded = "".join(character for character in folded if unicodedata.category(character) != "Cf")
    return _BROKEN_WORD.sub("-", folded)


def quoted_in(paper: Paper, quote: str) -> bool:
    """Whether the quote stands in the paper's title, abstract or text."""
    return source_of(paper).holds(quote)


def source_of(paper: Paper) -> Source:
    """A paper as a source of quotations."""
    return Source("\n".join((paper.title, paper.abstract, paper.text)))


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
