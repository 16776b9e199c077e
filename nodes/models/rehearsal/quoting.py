"""Taking up what somebody said: sentences, clauses, and those worth quoting."""

import re
from collections import Counter
from functools import lru_cache

from ....state.lexical import terms
from .stock import Stock

_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?]+(?=\s|$|[”\"»])|[。！？]+|\n|$)[”\"»」]*")
_QUOTED = re.compile(r"[“”\"«»「」『』]")
_CLAUSE = re.compile(
    r"[;:；：、—–]\s*|[,，](?!\d)\s*|"
    r"\s(?:because|since|so(?! far)|and that is why|porque|pues|ya que|así que|y por eso)\s|因为|所以",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:(?:and )?that is why|and|but|so(?! far)|because|since|then|yet|or|also|therefore|"
    r"y por eso|y|pero|porque|pues|que|así que|ya que|por lo tanto|por eso|o|sino|entonces|además)\s+|"
    r"^(?:而且|然后|但是|不过|因为|所以|因此|那么|而|但|就|也|又)",
    re.IGNORECASE,
)
HAN = re.compile("[\u4e00-\u9fff]")
LONGEST = 18
"""Words a quotation has at most."""
STRIP = " \t\n.,;:!?。，；：！？、*_`#-—–()（）[]【】"


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [one.strip() for one in _SENTENCE.findall(text) if one.strip(STRIP)]


def size(text: str) -> int:
    """Length in words; a Chinese character counts as five eighths of a word."""
    if text.isascii():
        return len(text.split())
    han = len(HAN.findall(text))
    return len(HAN.sub(" ", text).split()) + round(han / 1.6) if han else len(text.split())


@lru_cache(maxsize=1024)
def own_sentences(text: str) -> list[str]:
    """The sentences in which speakers speak for themselves: without quotation marks and questions, if there are any."""
    plain = [one for one in sentences(text) if not _QUOTED.search(one) and not one.rstrip().endswith(("?", "？"))]
    return plain or [_QUOTED.sub("", one) for one in sentences(text)]


@lru_cache(maxsize=1024)
def quotable(text: str) -> list[str]:
    """Clauses worth quoting, word for word, the weightiest first; short ones only where there is nothing else."""
    short = dict.fromkeys(one if size(one) <= LONGEST else _begun(one) for one in clauses_of(text))
    weight = {one: len(set(terms(one))) for one in short if size(one) >= 4}
    fit = [one for one in weight if weight[one] >= 2]
    return sorted([one for one in fit if size(one) >= 6] or fit, key=lambda one: -min(weight[one], 6))


def _begun(clause: str) -> str:
    """The beginning of a long clause, up to a word that carries meaning."""
    words = clause.split()
    if len(words) < 8:
        return clause[:24]
    kept = words[: LONGEST - 2]
    while kept and not terms(kept[-1]):
        kept.pop()
    return clause[: clause.find(kept[-1], len(" ".join(kept[:-1]))) + len(kept[-1])] if kept else ""


def clauses_of(text: str) -> list[str]:
    """The clauses of the sentences in which a speaker speaks for themselves, in order."""
    pieces = (piece for one in own_sentences(text) for piece in _CLAUSE.split(one))
    return [_LEAD.sub("", piece.strip(STRIP)).strip(STRIP) for piece in pieces]


_WORD = re.compile(r"[^\W\d_]{5,}")
_CITED = re.compile(r"[“\"«「]([^“”\"«»「」]{1,60})[”\"»」]")
BRIEF = 20
"""A statement under so many words is about what it names in quotation marks."""
MOST_WORDS, MOST_IDEOGRAPHS = 7, 14
"""Where a claim is cut off when it serves as a name."""


def leaning(text: str, stock: Stock, avoid: str = "") -> str:
    """What a statement leans on: what a short one names, the claim it argued last, else its most frequent word."""
    if size(text) < BRIEF and (cited := _CITED.search(text)):
        return cited[1]
    for argument in reversed(stock.argued_in(text)):
        if claim := next((one for one in clauses_of(text) if argument.mark in one), ""):
            return _brief(claim)
    return frequent(text, avoid)


def _brief(claim: str) -> str:
    words = claim.split()
    if HAN.search(claim):
        return claim if len(claim) <= MOST_IDEOGRAPHS else f"{claim[:MOST_IDEOGRAPHS]}…"
    return claim if len(words) <= MOST_WORDS else f"{' '.join(words[:MOST_WORDS])}…"


def frequent(text: str, avoid: str) -> str:
    """The longest of the most frequent words of a text; in Chinese a short clause."""
    bare = text.strip(STRIP)
    if HAN.search(text):
        fit = [one for one in clauses_of(text) if 2 <= len(one) <= 10]
        return min(fit, key=lambda one: (abs(len(one) - 6), one), default=bare[:6])
    body = " ".join(own_sentences(text))
    known = set(terms(body)) - set(terms(avoid))
    counts = Counter(word for word in _WORD.findall(body) if known.intersection(terms(word)))
    return max(counts, key=lambda word: (counts[word], len(word), word), default=(bare.split() or ["…"])[0])
