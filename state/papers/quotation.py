"""Quotations in a text, in quotation marks or as a block, and the check that a source contains them."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from ..quotation_source import QuotationSource
from ..terms import is_ideograph
from .citation_parser import Citation, list_citations
from .paper import Paper

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
_CLOSING_MARKS |= {"‚": "‘’", '"': '"', "'": "'", "〝": "〞〟", "‟": "”", "❝": "❞", "《": "》", "＂": "＂"}
_CLOSING_MARKS |= {"<q>": "</q>", "<blockquote>": "</blockquote>", "``": "''\"", "`": "'"}
_QUOTATION_MARK_OR_LINE = re.compile(
    r"[“”„‟«»‹›「」『』‘’‚\"＂〝〞〟❝❞《》]|</?(?:q|blockquote)>|(?<!`)``(?!`)|(?<![^\s(\[])`(?=[^`']{5,600}'(?!\w))|''|'"
    r"|\n[^\S\n]*(?=\n)"
)
_OUTER_MARK = re.compile(r"\A(?:<\w+>|\\\w+\{|``|.)|(?:</\w+>|''|.)\Z", re.DOTALL)
_ITALICS = re.compile(
    r"(?<![\w*])\*(?![\s*])[^*\n]{5,600}(?<!\s)\*(?![\w*])|(?<![\w_])_(?![\s_])[^_\n]{5,600}(?<!\s)_(?![\w_])"
    r"|<(em|i)>[^<\n]{5,600}</\1>|\\(?:textit|emph|enquote|textquote)\{[^{}\n]{5,600}\}"
)
_CLAIM_SIGN = re.compile(r"[，。；！？了没是]|不[会能应可再是]")
"""Pattern that distinguishes a claim between 《 and 》 from a title."""
_BLOCK_QUOTATION = re.compile(
    r"(?m)^[ \t]{0,3}>[^\n]*(?:\n[ \t]{0,3}>[^\n]*)*"
    r"|(?:(?<=:\n\n)|(?<=: \n\n))(?: {4}|\t)(?![-*+\d ])[^\n]+(?:\n(?: {4}|\t)[^\n]+)*"
)
_SOURCE_LINE = re.compile(r"(?:^|\s)[—–-]{1,3} ?[^\n—–]{1,120}$")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]|\n\s*\n")
_CITATION_GAP = re.compile(
    r"[.,!?。，！？]?[”’\"»」』›*_]*[\s—–-]*[\[(（［【\\]*\s*(?:(?:see|cf\.?|véase|参见|见)\s*)?-?", re.IGNORECASE
)
_SEPARATOR = re.compile(r"[^\w@]{0,8}")
_CITATION_GROUP = re.compile(
    r"[\[［【(（][^\[\]［］【】()（）]*[@＠](?:[^\[\]［］【】()（）]|\[[^\[\]]*\])*[\]］】)）]"
    r"|(?:\^\[[^\s\[\]]{1,80}\]|\[\^[^\s\[\]]{1,80}\]|(?<!\S)[@＠][^\s\[\]@]{1,80})(?=\W{0,3}\Z)"
)
_MAX_DISTANCE = 80
"""Maximum characters between a quotation and its citation."""
_MAX_DEPTH = 8


class Quotation(NamedTuple):
    """Quoted words, with the positions of the opening and the closing mark in `start` and `end`.

    `words`: the text without marks and citations. `ids`: papers cited next to the quotation; may be empty.
    """

    start: int
    end: int
    words: str
    ids: list[str]


class QuotableSources:
    """Texts that participants may quote: papers by id, and statements.

    Each text is normalized when first needed.
    """

    def __init__(self, papers: Sequence[Paper], statements: Sequence[str] = ()) -> None:
        self.papers = {paper.id: paper for paper in papers}
        self._statements, self._sources = "\n\n".join(statements), dict[str, QuotationSource]()

    def _get_source(self, id: str) -> QuotationSource:
        if id not in self._sources:
            paper = self.papers[id] if id else None
            self._sources[id] = QuotationSource(
                "\n".join((paper.title, paper.abstract, paper.text)) if paper else self._statements
            )
        return self._sources[id]

    def has_quotation(self, quotation: Quotation) -> bool:
        """Return whether one of the papers cited for `quotation` contains its words.

        Without a citation nearby, any paper or statement may contain them. If all cited papers are unknown, return
        `True`, because the check of citations reports them.
        """
        cited_ids = [id for id in quotation.ids if id in self.papers]
        if quotation.ids and not cited_ids:
            return True
        return any(self._get_source(id).has_quote(quotation.words) for id in cited_ids or [*self.papers, ""])


def list_misquotations(text: str, sources: QuotableSources) -> list[Quotation]:
    """List the quotations that their source does not contain, in order.

    The end of a quotation can be unclear, as in `‘the shops’ owners said so’`. Such a quotation is correct if its
    source contains the words up to one of the possible ends.
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
    """List quotations of at least three words or eight ideographs, with the papers cited for each.

    A quotation stands between quotation marks, which may be nested, or in a block. Its citation is in the same
    sentence. A citation inside the quotation comes first, then one after it, then one before it. Shorter quoted words
    count as names or irony. Five or more words in italics count as a quotation if a colon precedes them or a citation
    belongs to them. Words between 《 and 》 count if they make a claim.
    """
    spans = sorted(_list_marked_spans(text))
    span_starts = [start for start, _ in spans]
    blocks = [match.span() for match in _BLOCK_QUOTATION.finditer(text)]
    plain_blocks = [span for span in blocks if bisect_left(span_starts, span[0]) == bisect_left(span_starts, span[1])]
    citations, quotations = list_citations(text, papers), []
    citation_starts = [citation.start for citation in citations]
    italics = {
        match.span()
        for match in _ITALICS.finditer(text)
        if bisect_left(span_starts, match.start()) == bisect_left(span_starts, match.end())
    }
    for start, end in sorted([*spans, *plain_blocks, *italics]):
        words = _strip_marks(text[start:end])
        is_italic = (start, end) in italics
        if len(words.split()) >= (5 if is_italic else 3) or sum(map(is_ideograph, words)) >= 8:
            inner_citations = citations[bisect_left(citation_starts, start) : bisect_left(citation_starts, end)]
            ids = [citation.id for citation in inner_citations] or _list_ids_after(
                text, end, span_starts, citations, citation_starts
            )
            ids = ids or _list_ids_before(text, start, citations, citation_starts)
            if ids or not is_italic or text[max(0, start - 2) : start].rstrip().endswith((":", "：")):
                quotations.append(Quotation(words=words, ids=ids, start=start, end=end))
    return quotations


def _strip_marks(passage: str) -> str:
    if passage[0] not in " \t>":
        return _CITATION_GROUP.sub("", _OUTER_MARK.sub("", passage)).strip()
    lines = "\n".join(line.lstrip(" \t>") for line in passage.split("\n"))
    return _SOURCE_LINE.sub("", _CITATION_GROUP.sub("", lines).strip()).strip()


def _list_marked_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each passage in quotation marks. A mark must be closed in its paragraph."""
    open_marks: list[tuple[str, int]] = []
    for match in _QUOTATION_MARK_OR_LINE.finditer(text):
        mark, offset = match[0], match.start()
        before, after = text[offset - 1 : offset], text[match.end() : match.end() + 1]
        if mark[0] == "\n":
            open_marks.clear()
        elif mark in "‘’'" and before.isalnum() and after.isalnum():
            continue
        elif (depth := _find_closed_depth(mark, before, open_marks)) is not None:
            if mark != "》" or _CLAIM_SIGN.search(text, open_marks[depth][1], offset):
                yield open_marks[depth][1], match.end()
            del open_marks[depth + (mark in "’'" and before == "s") :]
        elif _is_opening(mark, before, after):
            open_marks = [*open_marks[1 - _MAX_DEPTH :], (mark, offset)]


def _find_closed_depth(mark: str, before: str, open_marks: list[tuple[str, int]]) -> int | None:
    if mark in "\"'" and (not before or before.isspace()):
        return None
    return next(
        (depth for depth in range(len(open_marks) - 1, -1, -1) if mark in _CLOSING_MARKS[open_marks[depth][0]]), None
    )


def _is_opening(mark: str, before: str, after: str) -> bool:
    if mark not in _CLOSING_MARKS:
        return False
    if mark == "'" and after.isdigit():  # as in '90s
        return False
    return mark not in "”\"'" or (bool(after) and not after.isspace() and not (before.isascii() and before.isalnum()))


def _list_ids_after(
    text: str, end: int, span_starts: list[int], citations: list[Citation], citation_starts: list[int]
) -> list[str]:
    index = bisect_left(citation_starts, end)
    if index == len(citations):
        return []
    text_between = text[end : min(citations[index].start, end + _MAX_DISTANCE + 1)]
    if not _CITATION_GAP.fullmatch(text_between):
        next_span = bisect_left(span_starts, end)
        has_quotation_between = next_span < len(span_starts) and span_starts[next_span] < citations[index].start
        if has_quotation_between or len(text_between) > _MAX_DISTANCE or _SENTENCE_END.search(text_between):
            return []
    return _list_bracket_ids(text, citations, index)


def _list_ids_before(text: str, start: int, citations: list[Citation], citation_starts: list[int]) -> list[str]:
    index = bisect_left(citation_starts, start) - 1
    if (
        index < 0
        or start - citations[index].end > _MAX_DISTANCE
        or _SENTENCE_END.search(text[citations[index].end : start])
    ):
        return []
    while index and _SEPARATOR.fullmatch(text[citations[index - 1].end : citations[index].start]):
        index -= 1
    return _list_bracket_ids(text, citations, index)


def _list_bracket_ids(text: str, citations: list[Citation], index: int) -> list[str]:
    ids = [citations[index].id]
    while index + 1 < len(citations):
        text_between = text[citations[index].end : citations[index + 1].start]
        if not _SEPARATOR.fullmatch(text_between) or re.search(r"[\]］】)）]", text_between):
            break
        index += 1
        ids.append(citations[index].id)
    return ids


def list_outer_citations(citations: Sequence[Citation], quotations: Sequence[Quotation]) -> list[Citation]:
    """Return the citations that are not inside a quotation."""
    starts = [quotation.start for quotation in quotations]
    ends = [0, *accumulate((quotation.end for quotation in quotations), max)]
    return [citation for citation in citations if ends[bisect_left(starts, citation.start)] <= citation.start]
