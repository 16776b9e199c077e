"""Stock of phrases and arguments in one language."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from string import Formatter
from typing import cast
from zlib import crc32

from ...prompts import load_table


@dataclass(frozen=True)
class Argument:
    """Argument with a claim and a ground, about one dimension, for one attitude: `for`, `against` or `joint`."""

    dimension: str
    attitude: str
    claim: str
    ground: str

    @cached_property
    def mark(self) -> str:
        """Return the longest slot-free part of the claim, without its first letter. It identifies the argument."""
        texts = (text for text, *_ in Formatter().parse(self.claim))
        return max((text[not index :] for index, text in enumerate(texts)), key=len).strip()

    @cached_property
    def key(self) -> int:
        """Return a number that identifies the argument."""
        return crc32(self.mark.encode())


@dataclass(frozen=True)
class PhraseStock:
    """All phrases and arguments of one language. `gap`: separator between two sentences."""

    language: str
    phrases: Mapping[str, Mapping[str, object]]
    arguments: dict[str, list[Argument]]
    gap: str

    def get_variants(self, section: str, key: str) -> list[str]:
        """Return the variants of one phrase."""
        variants = self.phrases[section].get(key, [])
        return [variants] if isinstance(variants, str) else cast(list[str], variants)

    def get_phrase(self, section: str, key: str) -> str:
        """Return a phrase that has one variant."""
        return self.get_variants(section, key)[0]

    def count_keywords(self, text: str) -> dict[str, int]:
        """Count the words for each dimension in a text."""
        words = text.casefold()
        return {name: sum(map(words.count, self.get_variants("keywords", name))) for name in self.phrases["keywords"]}

    def name_dimension(self, text: str) -> str:
        """Name the dimension with the most words in a text. If there are none, the dimension is side effects."""
        counts = self.count_keywords(text)
        dimension = max(counts, key=lambda name: counts[name])
        return self.get_phrase("names", dimension if counts[dimension] else "effects")

    def find_argument(self, clause: str) -> Argument | None:
        """Return the argument whose claim a clause contains; `None` for a participant's own words."""
        arguments = (argument for side in self.arguments.values() for argument in side)
        return next((argument for argument in arguments if argument.mark in clause), None)


@lru_cache(maxsize=8)
def load_stock(language: str) -> PhraseStock:
    """Load the stock of a language."""
    phrases = cast(Mapping[str, Mapping[str, object]], load_table("rehearsal", language))
    arguments: dict[str, list[Argument]] = {}
    for dimension, sides in phrases["arguments"].items():
        for attitude, texts in cast(Mapping[str, list[list[str]]], sides).items():
            arguments.setdefault(attitude, []).extend(Argument(dimension, attitude, *parts) for parts in texts)
    return PhraseStock(language, phrases, arguments, "" if language == "zh" else " ")
