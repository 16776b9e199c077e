"""Citations: which papers a text names, and whether what it quotes is there."""

import re
import unicodedata
from itertools import pairwise

from pydantic import BaseModel, ConfigDict, Field

from ..terms import is_ideograph
from .paper import Paper

_GROUP = re.compile(r"[\[［【]\s*(@[^\[\]［］【】]*)[\]］】]")
_AT_ONCE = re.compile(r"[.,!?。，！？]?\s*" + _GROUP.pattern)
_ID = re.compile(r"@([^\s;,，；、@]+)")
_QUOTED = re.compile(r"“([^“”]+)”|\"([^\"\n]+)\"|«([^«»]+)»|「([^「」]+)」|『([^『』]+)』")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？\n]")
_MARKS = dict.fromkeys(map(ord, "\"'`´‘’‚‛“”„‟«»‹›「」『』《》〈〉"))
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−"), "-")
_ELISION = re.compile(r"[\[(]?\s*(?:\.\s*){3,}[\])]?")
_BROKEN_WORD = re.compile(r"(?<=[^\W\d])-\s*\n\s*(?=[^\W\d])")
_EDGES = " \t\n.,;:!?。，；：！？、-"
_REACH = 80
"""How many characters may lie between a quotation and the citation it belongs to."""


class Quotation(BaseModel):
    """Words given in quotation marks, with the papers cited for them."""

    model_config = ConfigDict(frozen=True)

    words: str = Field(description="What stands between the marks.")
    ids: list[str] = Field(description="Ids of the papers cited next to it.")


def cited_ids(text: str) -> list[str]:
    """The ids cited as `[@id]` or `[@id; @other]`, each once, in order of appearance."""
    return list(dict.fromkeys(id for group in _GROUP.findall(text) for id in _ID.findall(group)))


def unknown_ids(text: str, papers: list[Paper]) -> list[str]:
    """The cited ids that none of the papers has."""
    known = {paper.id for paper in papers}
    return [id for id in cited_ids(text) if id not in known]


def misquoted(text: str, papers: list[Paper]) -> list[Quotation]:
    """The quotations that stand in none of the papers cited for them. Unknown ids are left to `unknown_ids`."""
    by_id = {paper.id: paper for paper in papers}
    checked = [(quotation, [by_id[id] for id in quotation.ids if id in by_id]) for quotation in quotations(text)]
    return [q for q, cited in checked if cited and not any(quoted_in(paper, q.words) for paper in cited)]


def quotations(text: str) -> list[Quotation]:
    """Quoted passages of at least three words or eight ideographs that have a citation within reach in their sentence.

    The citation after the quotation counts, else the one before it. Shorter words in quotation marks are names or
    irony, and a quotation without a citation may be another speaker's.
    """
    found = []
    for match in _QUOTED.finditer(text):
        words = next(group for group in match.groups() if group is not None)
        ids = _cited_after(text, match.end()) or _cited_before(text, match.start())
        if ids and (len(words.split()) >= 3 or sum(map(is_ideograph, words)) >= 8):
            found.append(Quotation(words=words, ids=ids))
    return found


def quoted_in(paper: Paper, quote: str) -> bool:
    """Whether the quote stands in the paper's title, abstract or text.

    Case, width, white space, quotation marks, hyphenation and punctuation at the ends do not count; `...` and `[…]`
    stand for words left out, the parts must follow in order. It must begin and end where words do, so that "safe"
    is not quoted from "unsafe". A blank quote is in no paper.
    """
    parts = [part.strip(_EDGES) for part in _ELISION.split(" ".join(_plain(quote).split()))]
    whole = _plain("\n".join((paper.title, paper.abstract, paper.text)))
    return any(parts) and _in_order([part for part in parts if part], whole)


def _in_order(parts: list[str], whole: str) -> bool:
    position = 0
    for part in parts:
        match = _pattern(part).search(whole, position)
        if match is None:
            return False
        position = match.end()
    return True


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_MARKS).translate(_DASHES)
    shown = "".join(character for character in folded if unicodedata.category(character) != "Cf")
    return _BROKEN_WORD.sub("-", shown)


def _pattern(part: str) -> re.Pattern[str]:
    """The part with any white space, and between letters any hyphen, allowed where the paper may have one."""
    characters = re.sub(r"\s", "", re.sub(r"(?<=[^\W\d])\s*-\s*(?=[^\W\d])", "", part))
    joined = re.escape(characters[0])
    for before, after in pairwise(characters):
        joined += (r"[\s-]*" if before.isalpha() and after.isalpha() else r"\s*") + re.escape(after)
    start = "" if is_ideograph(characters[0]) else r"(?<!\w)(?<!\w-)"
    end = "" if is_ideograph(characters[-1]) else r"(?!-?\w)"
    return re.compile(start + joined + end)


def _cited_after(text: str, end: int) -> list[str]:
    at_once = _AT_ONCE.match(text, end)
    if at_once:
        return _ID.findall(at_once[1])
    sentence = _SENTENCE_END.split(text[end : end + _REACH + 200], maxsplit=1)[0]
    group = _GROUP.search(_QUOTED.split(sentence, maxsplit=1)[0])
    return _ID.findall(group[1]) if group and group.start() <= _REACH else []


def _cited_before(text: str, start: int) -> list[str]:
    sentence = _SENTENCE_END.split(text[max(0, start - _REACH - 200) : start])[-1]
    groups = list(_GROUP.finditer(sentence))
    return _ID.findall(groups[-1][1]) if groups and len(sentence) - groups[-1].end() <= _REACH else []
