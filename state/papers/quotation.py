"""Quotations in a text, in quotation marks or as a block, and the check that a paper contains them."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from ..terms import is_ideograph
from .citation_parser import Citation, list_citations
from .paper import Paper
from .source import QuotationSource, make_source

_CLOSING_MARKS = {
    "“": "”",
    "„": "“”",
    "”": "”",
    "«": "»",
    "»": "«",
    "‹": "›",
    "›": "‹",
    "「": "」",
    "『": "』",
    "‘": "’",
}
_CLOSING_MARKS |= {"‚": "‘’", '"': '"'}
_MARK = re.compile(r"[“”„«»‹›「」『』‘’‚\"]|\n[^\S\n]*(?=\n)")
_BLOCK = re.compile(r"(?m)^[ \t]{0,3}>[^\n]*(?:\n[ \t]{0,3}>[^\n]*)*")
_SOURCE_LINE = re.compile(r"(?:^|\s)[—–-]{1,3} ?[^\n—–]{1,120}$")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]|\n\s*\n")
_ADJACENT = re.compile(
    r"[.,!?。，！？]?[”’\"»」』›*_]*[\s—–-]*[\[(（［【\\]*\s*(?:(?:see|cf\.?|véase|参见|见)\s*)?-?", re.IGNORECASE
)
_SEPARATOR = re.compile(r"[^\w@]{0,8}")
_CITATION_GROUP = re.compile(r"[\[［【(（][^\[\]［］【】()（）]*@(?:[^\[\]［］【】()（）]|\[[^\[\]]*\])*[\]］】)）]")
_MAX_DISTANCE = 80
"""Maximum characters between a quotation and its citation."""
_MAX_DEPTH = 8
"""Maximum number of open quotation marks."""


class Quotation(NamedTuple):
    """Quoted words, from `start`, where their mark opens, to `end`, where it is closed.

    `words`: without marks and citations. `ids`: of the papers cited next to them, empty without a citation
    nearby.
    """

    start: int
    end: int
    words: str
    ids: list[str]


class QuotableSources:
    """Texts that may be quoted: papers, by id, and the statements; each is prepared at its first use."""

    def __init__(self, papers: Sequence[Paper], statements: Sequence[str] = ()) -> None:
        self.papers = {paper.id: paper for paper in papers}
        self._statements, self._sources = "\n\n".join(statements), dict[str, QuotationSource]()

    def _get_source(self, id: str) -> QuotationSource:
        if id not in self._sources:
            self._sources[id] = make_source(self.papers[id]) if id else QuotationSource(self._statements)
        return self._sources[id]

    def has_quotation(self, quotation: Quotation) -> bool:
        """Return whether one of the papers cited for the quotation contains it.

        Without a citation near it, any paper or statement may contain it. A quotation from unknown papers alone
        passes here; the check of citations handles it.
        """
        near = [id for id in quotation.ids if id in self.papers]
        if quotation.ids and not near:
            return True
        return any(self._get_source(id).has_quote(quotation.words) for id in near or [*self.papers, ""])


def list_misquotations(text: str, sources: QuotableSources) -> list[Quotation]:
    """List the quotations that are not in their source, in order.

    One that may end at several marks, such as `‘the shops’ owners said so’`, is correct if it is so up to
    one of them.
    """
    misquotations: dict[int, Quotation] = {}
    correct_starts: set[int] = set()
    for quotation in list_quotations(text, list(sources.papers.values())):
        if sources.has_quotation(quotation):
            correct_starts.add(quotation.start)
        else:
            misquotations.setdefault(quotation.start, quotation)
    return [quotation for start, quotation in sorted(misquotations.items()) if start not in correct_starts]


def list_quotations(text: str, papers: Sequence[Paper] = ()) -> list[Quotation]:
    """List quoted passages of at least three words or eight ideographs, with the papers cited for each.

    They are between marks, nested ones too, or set as a block. The citation after a quotation counts, else
    the one before it, in the same sentence. Shorter words in quotation marks are names or irony.
    """
    spans = sorted(_list_marked_spans(text))
    span_starts = [start for start, _ in spans]
    blocks = [match.span() for match in _BLOCK.finditer(text)]
    plain_blocks = [span for span in blocks if bisect_left(span_starts, span[0]) == bisect_left(span_starts, span[1])]
    cited, quotations = list_citations(text, papers), []
    cited_starts = [citation.start for citation in cited]
    for start, end in sorted([*spans, *plain_blocks]):
        words = _strip_marks(text[start:end])
        if len(words.split()) >= 3 or sum(map(is_ideograph, words)) >= 8:
            inner = cited[bisect_left(cited_starts, start) : bisect_left(cited_starts, end)]
            ids = [citation.id for citation in inner] or _list_ids_after(text, end, span_starts, cited, cited_starts)
            ids = ids or _list_ids_before(text, start, cited, cited_starts)
            quotations.append(Quotation(words=words, ids=ids, start=start, end=end))
    return quotations


def _strip_marks(passage: str) -> str:
    """Return a passage without its marks, citations, and the line with its source."""
    if not passage.lstrip().startswith(">"):
        return _CITATION_GROUP.sub("", passage[1:-1]).strip()
    lines = "\n".join(line.lstrip(" \t>") for line in passage.split("\n"))
    text = _CITATION_GROUP.sub("", lines).strip()
    return _SOURCE_LINE.sub("", text).strip()


def _list_marked_spans(text: str) -> Iterator[tuple[int, int]]:
    """List the spans of passages in quotation marks.

    A mark that is never closed in its paragraph opens no passage.
    """
    opened: list[tuple[str, int]] = []
    for match in _MARK.finditer(text):
        mark, offset = match[0], match.start()
        before, after = text[offset - 1 : offset], text[offset + 1 : offset + 2]
        if mark[0] == "\n":
            opened.clear()
        elif mark in "‘’" and before.isalnum() and after.isalnum():
            continue
        elif (depth := _find_closed_mark(mark, before, opened)) is not None:
            yield opened[depth][1], match.end()
            del opened[depth + (mark == "’" and before == "s") :]
        elif _is_opening(mark, before, after):
            opened = [*opened[1 - _MAX_DEPTH :], (mark, offset)]


def _find_closed_mark(mark: str, before: str, opened: list[tuple[str, int]]) -> int | None:
    """Return the depth of the open mark that this one closes, innermost first, or `None`."""
    if mark == '"' and (not before or before.isspace()):
        return None
    return next((depth for depth in range(len(opened) - 1, -1, -1) if mark in _CLOSING_MARKS[opened[depth][0]]), None)


def _is_opening(mark: str, before: str, after: str) -> bool:
    if mark in "’」』":
        return False
    return mark not in '”"' or (bool(after) and not after.isspace() and not (before.isascii() and before.isalnum()))


def _list_ids_after(
    text: str, end: int, span_starts: list[int], cited: list[Citation], cited_starts: list[int]
) -> list[str]:
    """List the papers cited directly after a quotation, else later in its sentence.

    The citation must be within reach and before the next quotation.
    """
    index = bisect_left(cited_starts, end)
    if index == len(cited):
        return []
    between = text[end : min(cited[index].start, end + _MAX_DISTANCE + 1)]
    if not _ADJACENT.fullmatch(between):
        following = bisect_left(span_starts, end)
        has_quotation_between = following < len(span_starts) and span_starts[following] < cited[index].start
        if has_quotation_between or len(between) > _MAX_DISTANCE or _SENTENCE_END.search(between):
            return []
    return _list_bracket_ids(text, cited, index)


def _list_ids_before(text: str, start: int, cited: list[Citation], cited_starts: list[int]) -> list[str]:
    """List the papers cited within reach before a quotation, in its sentence."""
    index = bisect_left(cited_starts, start) - 1
    if index < 0 or start - cited[index].end > _MAX_DISTANCE or _SENTENCE_END.search(text[cited[index].end : start]):
        return []
    while index and _SEPARATOR.fullmatch(text[cited[index - 1].end : cited[index].start]):
        index -= 1
    return _list_bracket_ids(text, cited, index)


def _list_bracket_ids(text: str, cited: list[Citation], index: int) -> list[str]:
    """List the ids of a citation and of those in the same brackets."""
    ids = [cited[index].id]
    while index + 1 < len(cited):
        between = text[cited[index].end : cited[index + 1].start]
        if not _SEPARATOR.fullmatch(between) or re.search(r"[\]］】)）]", between):
            break
        index += 1
        ids.append(cited[index].id)
    return ids


def list_outer_citations(cited: Sequence[Citation], quotations: Sequence[Quotation]) -> list[Citation]:
    """List the citations that are not within a quotation."""
    starts = [quotation.start for quotation in quotations]
    ends = [0, *accumulate((quotation.end for quotation in quotations), max)]
    return [citation for citation in cited if ends[bisect_left(starts, citation.start)] <= citation.start]
