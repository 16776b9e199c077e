"""Quotations from statements, and the lengths of texts."""

import re

from ...state import strip_quotations

_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?]+(?=\s|$|[”\"»])|[。！？]+|\n|$)[”\"»」]*")
HAN_CHARACTER = re.compile("[\u4e00-\u9fff]")
BRIEF_STATEMENT = 20
"""Number of words below which a statement shows that its speaker is weary."""
EDGE_CHARACTERS = " \t\n.,;:!?…。，；：！？、*_`#-—–()（）[]【】"


def split_sentences(text: str) -> list[str]:
    """Split a text into sentences."""
    return [sentence.strip() for sentence in _SENTENCE.findall(text) if sentence.strip(EDGE_CHARACTERS)]


def count_words(text: str) -> int:
    """Count the words of a text. A Chinese character counts as 5/8 of a word."""
    han_count = 0 if text.isascii() else len(HAN_CHARACTER.findall(text))
    return len(HAN_CHARACTER.sub(" ", text).split()) + round(han_count / 1.6) if han_count else len(text.split())


def quote_text(text: str, points: re.Pattern[str]) -> str:
    """Quote two key words of a rehearsed statement, or the start of any other text.

    The start has 16 words or 24 ideographs.
    """
    own_text = strip_quotations(text)
    if match := points.search(own_text) or points.search(text):
        return match[0]
    pieces = [piece.strip(EDGE_CHARACTERS) for piece in re.split('[…“”"«»「」『』\n]', own_text)]
    longest_piece = max(pieces, key=len) or text.strip(EDGE_CHARACTERS)
    return " ".join(cut[0].split()) if (cut := re.match(r"(?:\S+\s+){0,15}\S{1,24}", longest_piece)) else "…"
