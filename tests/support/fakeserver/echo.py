"""Replies that follow from the prompt alone."""

import json
from collections.abc import Callable
from hashlib import shake_128

from fakeserver.exchange import Request
from fakeserver.schema import Filler

HEADS = ["ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "ri", "so", "tu", "va"]
TAILS = ["lan", "rit", "mus", "dor", "ven", "kas", "pel", "tin", "ram", "sol", "nik", "tur", "fad", "gem", "zor", "lum"]
WORDS = [head + tail for head in HEADS for tail in TAILS]  # 256: one for each byte


def paragraph(seed: bytes, words: int = 60) -> str:
    """A pronounceable text of so many words, in sentences of ten, that follows from the seed alone."""
    picked = [WORDS[byte] for byte in shake_128(seed).digest(words)]
    sentences = (" ".join(picked[i : i + 10]).capitalize() for i in range(0, words, 10))
    return ". ".join(sentences) + "."


def echo_by_hash(request: Request, words: int = 60) -> str:
    """A paragraph, or a valid instance of the schema asked for, that is a function of the prompt."""
    return _answer(request, paragraph(request.seed, words), lambda n: paragraph(n.to_bytes(8), 12))


def echoing(request: Request) -> str:
    """A reply that contains the whole prompt: as text, or in every free string of the schema asked for."""
    return _answer(request, f"I was told: {request.text}", lambda _: f"I was told: {request.text}")


def _answer(request: Request, plain: str, say: Callable[[int], str]) -> str:
    if request.schema is None:
        return plain
    filled = Filler(request.schema, request.seed, say).fill(request.schema) if request.schema else {"answer": plain}
    return json.dumps(filled, ensure_ascii=False)
