"""Texts normalized for the search for quotations, so that typography does not matter."""

import re
import unicodedata
from array import array
from collections.abc import Iterator

from .terms import is_ideograph

_MAX_ATTEMPTS = 100
"""Maximum number of positions to try for the parts of a quotation with ellipses."""

_MARKS = "\"'`´‘’‚‛“”„‟«»‹›「」『』《》〈〉*_"
_REMOVABLE_MARKS = re.compile(rf"(?<![0-9{_MARKS}])[{_MARKS}]+|[{_MARKS}]++(?![0-9])")
# before a power, an index, a fraction or the number of a note, whose digits do not continue the number
_RAISED_FIGURE = re.compile("(?<=[0-9])(?=[⁻¹²³⁰⁴-⁹₀-₉¼-¾⅐-⅞①-⑳])")
_DASH_VARIANTS = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_ELLIPSIS_MARK = re.compile(r"[\[(]? ?(?:\. ?){3,}[\])]?")
_CHANGED_LETTER = re.compile(r"\[([^\W\d_])\](?=[^\W\d_])")
"""Letter of a quotation in another case than in its source, as in “[t]he”."""
_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])-[^\S\n]*\n\s*(?=[^\W\d_])")
# blanks and hyphens that do not count, unlike a blank between the digits and signs of figures
_SPACING = re.compile(r"(?<=[^\W\d_])[ -]+(?=[^\W\d_])|(?!(?<=\d) [\d.,:/+-]|(?<=[.,:/+-]) \d) ")
_EDGE_CHARACTERS = " \t\n.,;:!?。，；：！？、-"
_LEADING_EDGE = re.compile(rf"(?:(?!-[0-9])[{_EDGE_CHARACTERS}])+")
"""Marks before a quotation, except the sign of a number."""
_NUMBER_BEFORE = re.compile(
    r"(?=\d)(?:(?<=\d[.,/:])|(?<=\d - )|(?<=[<>≤≥±~≈])|(?<=[<>≤≥±~≈] )"
    r"|(?<=[-+])(?<!\w[-+])|(?<=\d )(?<!\d{4} )\d{3}(?!\d))"
)
_NUMBER_AFTER = re.compile(r"(?<=\d)(?:[.,/:]\d| - \d| ?[%‰]|\^|(?<!\d{4}) \d{3}(?!\d))")
_CLAUSE_END = re.compile(r"[.,;:!?。，；：！？、()]")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nor|neither|cannot|without|hardly|(?:do|does|did|is|are|was|were|has|have|had|ca|wo|would|"
    r"could|should|must|need)nt|nunca|jamás|tampoco|ni|sin|ning[uú]n\w*|nada|nadie|nicht|kein\w*|nie|ne|pas)\b"
    "|[不没沒莫勿否]|[無无](?!论|論)|未(?!来|來)|非(?!常)"
)


class QuotationSource:
    """Text normalized for the search for quotations.

    The search ignores case, width, white space, quotation marks, emphasis, invisible characters and hyphens.
    """

    def __init__(self, text: str) -> None:
        self.plain = _normalize_text(text)
        fragments, self.offsets, start = [], array("L"), 0
        for gap in [*_SPACING.finditer(self.plain), None]:
            end = gap.start() if gap else len(self.plain)
            fragments.append(self.plain[start:end])
            self.offsets.extend(range(start, end))
            start = gap.end() if gap else end
        self.squeezed = "".join(fragments)

    def has_quote(self, quote: str) -> bool:
        """Return whether the text contains the quote. A blank quote returns `False`.

        If the quote has ellipses, its parts must occur in order, and the text between them must not negate them. Each
        part must consist of complete words and numbers, so that "safe" is not found in "unsafe", nor "5" in "2.5".
        """
        quote = _normalize_text(_CHANGED_LETTER.sub(r"\1", quote))
        parts = [part.rstrip(_EDGE_CHARACTERS) for part in _ELLIPSIS_MARK.split(quote)]
        parts = [part[match.end() :] if (match := _LEADING_EDGE.match(part)) else part for part in parts]
        searched_parts = [_SPACING.sub("", part) for part in parts if part]
        return bool(searched_parts) and self._has_parts_in_order(searched_parts)

    def _has_parts_in_order(self, parts: list[str]) -> bool:
        """Return whether the parts occur in order. The depth-first search has a limited number of attempts."""
        attempts_left, searches = _MAX_ATTEMPTS, [self._list_spans(parts[0], 0)]
        ends: list[int] = []
        while searches and attempts_left:
            attempts_left -= 1
            span = next(searches[-1], None)
            del ends[len(searches) - 1 :]
            if span is None:
                searches.pop()
                continue
            first, last = span
            if ends and self._has_negation(ends[-1], first):
                continue
            if len(searches) == len(parts):
                return True
            ends.append(last)
            searches.append(self._list_spans(parts[len(searches)], last + 1))
        return False

    def _list_spans(self, part: str, start: int) -> Iterator[tuple[int, int]]:
        offset = self.squeezed.find(part, start)
        while offset >= 0:
            last_offset = offset + len(part) - 1
            start_offset, end_offset = self.offsets[offset], self.offsets[last_offset] + 1
            before, after = self.plain[max(0, start_offset - 2) : start_offset], self.plain[end_offset : end_offset + 2]
            starts_word = is_ideograph(part[0]) or not _is_word_end(before)
            ends_word = is_ideograph(part[-1]) or not _is_word_end(after[::-1])
            cuts_number = _NUMBER_BEFORE.match(self.plain, start_offset) or _NUMBER_AFTER.match(self.plain, end_offset)
            if starts_word and ends_word and not cuts_number:
                yield offset, last_offset
            offset = self.squeezed.find(part, offset + 1)

    def _has_negation(self, last: int, first: int) -> bool:
        """Return whether the text between two parts of a quotation negates one of them, in an adjacent clause.

        `last`: end of the first part. `first`: start of the second.
        """
        clauses = _CLAUSE_END.split(self.plain[self.offsets[last] + 1 : self.offsets[first]])
        return any(_NEGATION.search(clause) for clause in (clauses[0], clauses[-1]))


def _is_word_end(text: str) -> bool:
    """Return whether `text` ends in a word, with or without a hyphen. Ideographs do not count as words."""
    tail = text.rstrip("-") if text.endswith("-") and not text.endswith("--") else text
    return bool(tail) and (tail[-1].isalnum() or tail[-1] == "_") and not is_ideograph(tail[-1])


def _normalize_text(text: str) -> str:
    text = unicodedata.normalize("NFKC", _RAISED_FIGURE.sub("^", text)).casefold()
    folded_text = _REMOVABLE_MARKS.sub("", text).translate(_DASH_VARIANTS)
    if not folded_text.isascii():
        folded_text = "".join(character for character in folded_text if unicodedata.category(character) != "Cf")
    return " ".join(_BROKEN_WORD.sub("-", folded_text).split())
