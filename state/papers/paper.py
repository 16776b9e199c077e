"""Papers and excerpts from them, as a panel reads them."""

import hashlib
import json
import math
import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from pydantic import Field, model_validator

from ..frozen_models import ClosedModel
from ..terms import extract_terms, is_ideograph
from ..text_editing import clip_text
from .citation_key import ID_PATTERN, make_readable_id, make_unique_id

CHARS_PER_TOKEN = 3
"""Characters of an alphabetic script per token, as a cautious estimate for any tokenizer.

An ideograph counts as one token.
"""


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens in a text, rather too high than too low."""
    ideographs = 0 if text.isascii() else sum(map(is_ideograph, text))
    return ideographs + math.ceil((len(text) - ideographs) / CHARS_PER_TOKEN)


def split_capacity(needs: Sequence[int], capacity: int) -> list[int]:
    """Return each need's share of `capacity`, in the order of `needs`.

    Smaller needs are met in full. The larger ones share the rest equally.

    split_capacity([10, 100, 50], 100) == [10, 45, 45]
    """
    portions, remaining_capacity = [0] * len(needs), capacity
    for rank, index in enumerate(sorted(range(len(needs)), key=needs.__getitem__)):
        portions[index] = min(needs[index], remaining_capacity // (len(needs) - rank))
        remaining_capacity -= portions[index]
    return portions


PASSAGE_LENGTH = 600
OMISSION_MARK = "[…]"


class Paper(ClosedModel):
    """Paper with its text. A missing `id` or `sha` is computed from the other fields."""

    id: str = Field(
        pattern=ID_PATTERN, description="Id for citations, as in `[@id]`: readable, and unique within the run."
    )
    title: str = Field(min_length=1, max_length=1_000, description="Title.")
    abstract: str = Field(default="", max_length=50_000, description="Abstract; empty: unknown.")
    authors: list[str] = Field(default_factory=list, max_length=1_000, description="Authors, in order.")
    year: int | None = Field(default=None, ge=1, le=2999, description="Year of publication.")
    url: str = Field(default="", max_length=2_000, pattern=r"^(https?://\S+)?$", description="Web address.")
    text: str = Field(default="", max_length=2_000_000, description="Full text; empty: unknown.")
    sha: str = Field(default="", max_length=64, description="SHA-256 of title, authors, year, abstract and text.")
    source: str = Field(default="", max_length=4_096, description="Path of the file.")

    @model_validator(mode="before")
    @classmethod
    def _fill_id(cls, value: object) -> object:
        if not isinstance(value, dict) or not isinstance(value.get("title"), str):
            return value
        authors = [author for author in value.get("authors") or [] if isinstance(author, str)]
        content = [value.get(key) or "" for key in ("title", "authors", "year", "abstract", "text")]
        defaults = {
            "sha": hashlib.sha256(json.dumps(content, default=str).encode()).hexdigest(),
            "id": make_readable_id(value["title"], authors, value.get("year")),
        }
        return value | {key: default for key, default in defaults.items() if not value.get(key)}


def remove_duplicates(papers: list[Paper]) -> list[Paper]:
    """Return the papers without repetitions of the same text, each with a unique id."""
    papers_by_hash: dict[str, Paper] = {}
    used_ids: set[str] = set()
    for paper in papers:
        if paper.sha not in papers_by_hash:
            papers_by_hash[paper.sha] = paper.model_copy(update={"id": make_unique_id(paper.id, paper.sha, used_ids)})
            used_ids.add(papers_by_hash[paper.sha].id)
    return list(papers_by_hash.values())


def extract_gist(paper: Paper) -> str:
    """Return the text of a paper that a search compares, in addition to the title.

    It is the abstract and the beginning of the text, up to 2,000 characters together. Embedding models take no more.
    """
    return "\n".join(part for part in (paper.abstract, _remove_abstract(paper).strip()) if part)[:2_000]


_WORD = re.compile(r"[^\W_]+")
_SENTENCE_GAP = re.compile(r"[^\w\n]{0,8}[\n.!?:。！？：]|\s*$")


def _remove_abstract(paper: Paper) -> str:
    """Return the text of a paper without the abstract that it repeats.

    Line breaks, hyphens and marks do not matter. Only complete sentences are removed.
    """
    words = list(_WORD.finditer(paper.text))
    starts = [0, *accumulate(len(word[0]) for word in words)]
    letters, abstract = "".join(word[0] for word in words).upper(), "".join(_WORD.findall(paper.abstract)).upper()
    if not abstract or len(letters) != starts[-1]:
        return paper.text
    kept_texts, position = list[str](), 0
    for match in re.finditer(re.escape(abstract), letters):
        first, last = (bisect_right(starts, offset) - 1 for offset in (match.start(), match.end() - 1))
        start = words[first].start() + match.start() - starts[first]
        end = words[last].start() + match.end() - starts[last]
        if _SENTENCE_GAP.match(paper.text[max(0, start - 9) : start][::-1]) and _SENTENCE_GAP.match(paper.text, end):
            kept_texts.append(paper.text[position:start])
            position = end
    remainder = paper.text[position:]
    return "\n\n".join([*map(str.rstrip, kept_texts), remainder.lstrip(".!?。！？ \n")]) if kept_texts else remainder


def split_passages(text: str, size: int = PASSAGE_LENGTH) -> list[str]:
    """Split `text` into passages of at most `size` characters, at the ends of sentences where possible."""
    passages: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        for sentence in re.findall(r".+?(?:[.!?](?=\s)|[。！？；]|$)\s*", paragraph, re.DOTALL):
            for fragment in (sentence[i : i + size] for i in range(0, len(sentence), size)):
                has_room = passages and passages[-1] and len(passages[-1]) + len(fragment) <= size
                passages[-1:] = [passages[-1] + fragment] if has_room else [*passages[-1:], fragment]
        passages.append("")
    return [passage.strip() for passage in passages if passage.strip()]


def make_excerpt(paper: Paper, limit: int, query: str = "") -> str:
    """Return at most `limit` characters of a paper: the abstract, then the most relevant passages.

    Passages keep the order of the paper; `[…]` marks omitted text. The score of a passage is a sum over the query's
    terms in it. Each term adds 1 / (number of passages with the term). Of equal passages the earlier one wins.
    """
    if len(paper.abstract) + len(OMISSION_MARK) + 2 > limit:
        return clip_text(paper.abstract, limit)
    abstract_text = "".join(paper.abstract.split())
    passages = [
        passage for passage in split_passages(_remove_abstract(paper)) if "".join(passage.split()) not in abstract_text
    ]
    remaining_length = limit - len(paper.abstract)
    chosen_indices: set[int] = set()
    query_terms = set(extract_terms(query))
    shared_terms = [query_terms.intersection(extract_terms(passage)) for passage in passages]
    frequencies = {term: sum(term in terms for terms in shared_terms) for term in query_terms}
    scores = [sum(1 / frequencies[term] for term in sorted(terms)) for terms in shared_terms]
    for index in sorted(range(len(passages)), key=lambda index: (-scores[index], index)):
        length = len(passages[index]) + 2 * len(OMISSION_MARK) + 4
        if length <= remaining_length:
            chosen_indices.add(index)
            remaining_length -= length
    lines = [paper.abstract] if paper.abstract else []
    for position in range(len(passages)):
        if position in chosen_indices:
            lines.append(passages[position])
        elif lines[-1:] != [OMISSION_MARK]:
            lines.append(OMISSION_MARK)
    return "\n".join(lines)
