"""Ids of papers: short enough to cite, readable, stable."""

import re
import unicodedata
from collections.abc import Collection, Sequence

from .terms import is_ideograph

ID_PATTERN = r"^[^\s\[\]［］【】@;,，；、]{1,80}$"
"""What an id may look like, so that `[@id]` can be read back from any text."""
_DULL = re.compile(
    "a|an|and|are|can|das|de|der|die|do|does|el|for|from|how|in|is|la|las|le|los|of|on|the|to|towards|un|una|what|when|"
    "why|with"
)


def readable_id(title: str, authors: Sequence[str], year: object) -> str:
    """`smith2024-cities`: first author's family name, year, first telling word of the title, as far as known."""
    head = (_family(authors[0]) if authors else "") + (str(year) if year else "")
    return "-".join(part for part in (head, _telling(title)) if part)[:80] or "paper"


def safe_id(given: str) -> str:
    """A file's own key as an id: other characters become hyphens, at most 80 are kept; empty when nothing is left."""
    return re.sub(r"[^\w.:+/]+", "-", unicodedata.normalize("NFKC", given)).strip("-./:")[:80]


def free_id(wanted: str, sha: str, taken: Collection[str]) -> str:
    """`wanted`, or when it is taken, `wanted` with as many characters of the content hash as make it free."""
    candidates = [wanted, *(f"{wanted[:60]}-{sha[:length]}" for length in (4, 8, 16))]
    return next((candidate for candidate in candidates if candidate not in taken), sha)


def _family(author: str) -> str:
    """`Smith, Ada` and `Ada Smith (ed.)` give `smith`; a name in ideographs is kept whole."""
    words = _words(re.split("[,(（]", author, maxsplit=1)[0])
    return "".join(words) if words and is_ideograph(words[0][0]) else "".join(words[-1:])


def _telling(title: str) -> str:
    words = _words(title)
    first = next((word for word in words if not _DULL.fullmatch(word)), "".join(words[:1]))
    return first[:4] if first and is_ideograph(first[0]) else first


def _words(text: str) -> list[str]:
    """Words in lower case without accents."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFC", bare).casefold())
