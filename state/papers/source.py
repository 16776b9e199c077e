"""Sources: texts in which quotations are looked for, however they are set."""

import re
import unicodedata
from array import array
from collections.abc import Iterator

from ..lexical import is_ideograph
from .paper import Paper

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


def source_of(paper: Paper) -> Source:
    """A paper as a source of quotations."""
    return Source("\n".join((paper.title, paper.abstract, paper.text)))
