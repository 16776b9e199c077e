"""Taking up what somebody said: sentences, clauses, and those worth quoting."""

import re
from functools import lru_cache

from ...state.terms import terms

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
