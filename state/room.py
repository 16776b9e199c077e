"""Room: how much of each document is shown when all of them together may only take so much."""

import math
from collections.abc import Sequence

from .terms import is_ideograph

CHARS_PER_TOKEN = 3
"""Characters of an alphabetic script to a token; an ideograph counts as one. A cautious estimate for any tokenizer."""


def tokens_in(text: str) -> int:
    """About how many tokens a text is, rather more than fewer."""
    ideographs = 0 if text.isascii() else sum(map(is_ideograph, text))
    return ideographs + math.ceil((len(text) - ideographs) / CHARS_PER_TOKEN)


def shares(wants: Sequence[int], room: int) -> list[int]:
    """What each gets of `room`: what it wants, or an equal part of what those who want less leave over.

    shares([10, 100, 50], 100) == [10, 45, 45]
    """
    given, left = [0] * len(wants), room
    for place, index in enumerate(sorted(range(len(wants)), key=wants.__getitem__)):
        given[index] = min(wants[index], left // (len(wants) - place))
        left -= given[index]
    return given
