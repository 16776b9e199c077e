"""Papers: what a panel reads, and how much of one it is shown."""

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Collection, Sequence

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..lexical import is_ideograph, terms
from ..text import clipped

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


ID_LENGTH = 80
"""Most characters of an id."""
ID_PATTERN = rf"^[^\s\[\]［］【】@;,，；、]{{1,{ID_LENGTH}}}$"
"""What an id may look like, so that `[@id]` can be read back from any text."""
_DULL = re.compile(
    "a|an|and|are|can|das|de|der|die|do|does|el|for|from|how|in|is|la|las|le|los|of|on|the|to|towards|un|una|what|when|"
    "why|with"
)


def readable_id(title: str, authors: Sequence[str], year: object) -> str:
    """`smith2024-cities`: first author's family name, year, first telling word of the title, as far as known."""
    head = (family(authors[0]) if authors else "") + (str(year) if year else "")
    return "-".join(part for part in (head, _telling(title)) if part)[:80] or "paper"


def safe_id(given: str) -> str:
    """A file's own key as an id: other characters become hyphens, at most 80 are kept; empty when nothing is left."""
    return re.sub(r"[^\w.:+/]+", "-", unicodedata.normalize("NFKC", given)).strip("-./:")[:80]


def free_id(wanted: str, sha: str, taken: Collection[str]) -> str:
    """`wanted`, or when it is taken, `wanted` with as many characters of the content hash as make it free."""
    candidates = [wanted, *(f"{wanted[:60]}-{sha[:length]}" for length in (4, 8, 16))]
    return next((candidate for candidate in candidates if candidate not in taken), sha)


def family(author: str) -> str:
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


GIST = 2_000
"""Characters of a paper that searching compares beside its title."""
PASSAGE = 600
"""Most characters of a passage."""
CUT = "[…]"
"""Stands where something was left out."""


class Paper(BaseModel):
    """One paper. `id` and `sha` are made from the rest when they are not given."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(pattern=ID_PATTERN, description="What `[@id]` cites: readable and unique among the papers at hand.")
    title: str = Field(min_length=1, max_length=1_000, description="Title.")
    abstract: str = Field(default="", max_length=50_000, description="Abstract; empty where there is none.")
    authors: list[str] = Field(default_factory=list, max_length=1_000, description="Authors, in their order.")
    year: int | None = Field(default=None, ge=1, le=2999, description="Year of publication.")
    url: str = Field(default="", max_length=2_000, pattern=r"^(https?://\S+)?$", description="Where it can be read.")
    text: str = Field(default="", max_length=2_000_000, description="Full text; empty: only the abstract is known.")
    sha: str = Field(default="", max_length=64, description="SHA-256 of title, authors, year, abstract and text.")
    source: str = Field(default="", max_length=4_096, description="The file it was read from.")

    @model_validator(mode="before")
    @classmethod
    def _named(cls, value: object) -> object:
        if not isinstance(value, dict) or not isinstance(value.get("title"), str):
            return value
        authors = [author for author in value.get("authors") or [] if isinstance(author, str)]
        given = {"sha": fingerprint(value), "id": readable_id(value["title"], authors, value.get("year"))}
        return value | {key: made for key, made in given.items() if not value.get(key)}


def distinct(papers: list[Paper]) -> list[Paper]:
    """Each paper once, and no id twice: the first keeps a shared id, later ones get part of their hash added to it."""
    kept: dict[str, Paper] = {}
    taken: set[str] = set()
    for paper in papers:
        if paper.sha not in kept:
            kept[paper.sha] = paper.model_copy(update={"id": free_id(paper.id, paper.sha, taken)})
            taken.add(kept[paper.sha].id)
    return list(kept.values())


def fingerprint(fields: dict[str, object]) -> str:
    """SHA-256 of what makes a paper this paper; where it was found, its id and address do not count."""
    content = [fields.get(key) or "" for key in ("title", "authors", "year", "abstract", "text")]
    return hashlib.sha256(json.dumps(content, default=str).encode()).hexdigest()


def gist(paper: Paper) -> str:
    """What searching compares beside the title: the abstract, then of the text what fits in 2,000 characters in all.

    That is short enough for the embedding models in use.
    """
    text = paper.text.replace(paper.abstract, "", 1)
    return "\n".join(part for part in (paper.abstract, text.strip()) if part)[:GIST]


def passages(text: str, size: int = PASSAGE) -> list[str]:
    """`text` in passages of at most `size` characters, broken after sentences where possible; blank ones left out."""
    found: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        for sentence in re.findall(r".+?(?:[.!?](?=\s)|[。！？；]|$)\s*", paragraph, re.DOTALL):
            for piece in (sentence[i : i + size] for i in range(0, len(sentence), size)):
                joins = found and found[-1] and len(found[-1]) + len(piece) <= size
                found[-1:] = [found[-1] + piece] if joins else [*found[-1:], piece]
        found.append("")
    return [passage.strip() for passage in found if passage.strip()]


def excerpt(paper: Paper, limit: int, query: str = "") -> str:
    """At most `limit` characters of a paper: its abstract, then the passages that share most with the query.

    Passages keep the order of the paper; `[…]` stands for what was left out. A passage scores the sum, over the
    query's terms it holds, of 1 / (number of passages that hold the term); among equals the earlier one is taken.
    """
    if len(paper.abstract) + len(CUT) + 2 > limit:
        return clipped(paper.abstract, limit)
    known = "".join(paper.abstract.split())
    parts = [part for part in passages(paper.text) if "".join(part.split()) not in known]
    room = limit - len(paper.abstract)
    chosen: set[int] = set()
    for index in _best_first(parts, query):
        cost = len(parts[index]) + 2 * len(CUT) + 4
        if cost <= room:
            chosen.add(index)
            room -= cost
    return _joined(paper.abstract, parts, chosen)


def _best_first(parts: list[str], query: str) -> list[int]:
    asked = set(terms(query))
    held = [asked.intersection(terms(part)) for part in parts]
    spread = {term: sum(term in some for some in held) for term in asked}
    scores = [sum(1 / spread[term] for term in sorted(some)) for some in held]
    return sorted(range(len(parts)), key=lambda index: (-scores[index], index))


def _joined(abstract: str, parts: list[str], chosen: set[int]) -> str:
    lines = [abstract] if abstract else []
    for index in range(len(parts)):
        if index in chosen:
            lines.append(parts[index])
        elif lines[-1:] != [CUT]:
            lines.append(CUT)
    return "\n".join(lines)
