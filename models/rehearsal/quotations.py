"""Quotations from statements: their sentences, and the clauses that are worth quoting."""

import re
from functools import lru_cache

from ...state.terms import extract_terms

_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?]+(?=\s|$|[”\"»])|[。！？]+|\n|$)[”\"»」]*")
_QUOTATION_MARK = re.compile(r"[“”\"«»「」『』]")
_CLAUSE = re.compile(
    r"[;:；：、—–]\s*|[,，](?!\d)\s*|"
    r"\s(?:because|since|so(?! far)|and that is why|porque|pues|ya que|así que|y por eso)\s|因为|所以",
    re.IGNORECASE,
)
_LEADING_CONNECTIVE = re.compile(
    r"^(?:(?:and )?that is why|and|but|so(?! far)|because|since|then|yet|or|also|therefore|"
    r"y por eso|y|pero|porque|pues|que|así que|ya que|por lo tanto|por eso|o|sino|entonces|además)\s+|"
    r"^(?:而且|然后|但是|不过|因为|所以|因此|那么|而|但|就|也|又)",
    re.IGNORECASE,
)
HAN_CHARACTER = re.compile("[\u4e00-\u9fff]")
QUOTATION_WORDS = 18
"""Maximum words of a quotation."""
BRIEF_STATEMENT = 20
"""Number of words below which a statement shows that its speaker is weary."""
EDGE_CHARACTERS = " \t\n.,;:!?。，；：！？、*_`#-—–()（）[]【】"


def split_sentences(text: str) -> list[str]:
    """Split a text into sentences."""
    return [sentence.strip() for sentence in _SENTENCE.findall(text) if sentence.strip(EDGE_CHARACTERS)]


def count_words(text: str) -> int:
    """Count the words of a text. A Chinese character counts as 5/8 of a word."""
    han_count = 0 if text.isascii() else len(HAN_CHARACTER.findall(text))
    return len(HAN_CHARACTER.sub(" ", text).split()) + round(han_count / 1.6) if han_count else len(text.split())


@lru_cache(maxsize=1024)
def list_quotable_clauses(text: str) -> list[str]:
    """List the clauses worth quoting word for word, the weightiest first.

    Clauses under 6 words are listed only if there is no longer one. Sentences that quote or ask are left out. A long
    clause is cut after 16 words.
    """
    weights = dict[str, int]()
    for sentence in split_sentences(text):
        if _QUOTATION_MARK.search(sentence) or sentence.endswith(("?", "？")):
            continue
        for piece in _CLAUSE.split(sentence):
            clause = _LEADING_CONNECTIVE.sub("", piece.strip(EDGE_CHARACTERS)).strip(EDGE_CHARACTERS)
            if count_words(clause) > QUOTATION_WORDS:
                clause = re.findall(r"(?:\S+\s+){0,15}\S{1,24}", clause)[0]
            if count_words(clause) >= 4:
                weights[clause] = len(set(extract_terms(clause)))
    candidates = [clause for clause in weights if weights[clause] >= 2]
    long_clauses = [clause for clause in candidates if count_words(clause) >= 6]
    return sorted(long_clauses or candidates, key=lambda clause: -min(weights[clause], 6))
