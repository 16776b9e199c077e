"""Citation keys: readable, safe and unique ids of papers."""

import re
import unicodedata
from collections.abc import Collection, Sequence

from ..terms import is_ideograph

PAPER_ID_LENGTH = 80


ID_PATTERN = rf"^[^\s\[\]［］【】@;,，；、]{{1,{PAPER_ID_LENGTH}}}$"
"""Pattern of an id that can be found as `[@id]` in any text."""


_STOP_WORDS = re.compile(
    "a|an|and|are|can|das|de|der|die|do|does|el|for|from|how|in|is|la|las|le|los|of|on|the|to|towards|un|una|what|when|"
    "why|with"
)


def make_readable_id(title: str, authors: Sequence[str], year: object) -> str:
    """Make a readable id such as `smith2024-cities`.

    Its parts are the first author's family name, the year, and the first significant word of the title. Unknown parts
    are left out. Without any part, the id is `paper`.
    """
    prefix = (extract_family_name(authors[0]) if authors else "") + (str(year) if year else "")
    words = split_words(title)
    word = next((word for word in words if not _STOP_WORDS.fullmatch(word)), "".join(words[:1]))
    word = word[:4] if word and is_ideograph(word[0]) else word
    return "-".join(part for part in (prefix, word) if part)[:80] or "paper"


def make_safe_id(key: str) -> str:
    """Return an id of at most 80 characters made from a citation key; empty if no character is usable."""
    return re.sub(r"[^\w.:+/]+", "-", unicodedata.normalize("NFKC", key)).strip("-./:")[:80]


def make_unique_id(id: str, sha: str, used_ids: Collection[str]) -> str:
    """Return `id` if it is unused. Otherwise append 4, 8 or 16 digits of `sha`, or return `sha`."""
    candidates = [id, *(f"{id[:60]}-{sha[:length]}" for length in (4, 8, 16))]
    return next((candidate for candidate in candidates if candidate not in used_ids), sha)


def extract_family_name(author: str) -> str:
    """Return the family name of an author: `smith` for `Smith, Ada` and for `Ada Smith (ed.)`.

    A name in Chinese or Japanese characters is returned in full.
    """
    words = split_words(re.split("[,(（]", author, maxsplit=1)[0])
    return "".join(words) if words and is_ideograph(words[0][0]) else "".join(words[-1:])


def split_words(text: str) -> list[str]:
    """Split a text into its words, in lower case without accents."""
    plain_text = "".join(
        character for character in unicodedata.normalize("NFKD", text) if not unicodedata.combining(character)
    )
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFC", plain_text).casefold())
