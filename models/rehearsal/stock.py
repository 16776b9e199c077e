"""Stock of phrases and arguments in one language."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from string import Formatter
from typing import cast
from zlib import crc32

from ...prompts import load_table
from ...state.terms import is_ideograph

_CLAUSE = re.compile(r"[,;，；] ?(?:and |but |y |e |pero |而|但)?")


@lru_cache(maxsize=4096)
def extract_mark(template: str) -> str:
    """Return the longest part of a template without slots. Drop its first letter, which may be a capital."""
    return max((text[not i :] for i, (text, *_) in enumerate(Formatter().parse(template))), key=len).strip()


@dataclass(frozen=True)
class Argument:
    """Argument: claim, ground, and the other side's answer, in one dimension and for one attitude.

    Attitudes are `for`, `against` and `joint`. A joint argument has no answer.
    """

    dimension: str
    attitude: str
    claim: str
    ground: str
    answer: str = ""

    @cached_property
    def mark(self) -> str:
        """Return the longest part of the claim without a slot, which identifies the argument in a text."""
        return extract_mark(self.claim)

    @cached_property
    def marks(self) -> list[str]:
        """Return the parts of claim and ground that identify the argument in a quoted clause."""
        parts = (extract_mark(part) for side in (self.claim, self.ground) for part in _CLAUSE.split(side))
        return [part for part in parts if len(part) > (3 if is_ideograph(part[-1:] or " ") else 12)] or [self.mark]

    @cached_property
    def key(self) -> int:
        """Return a number that identifies the argument."""
        return crc32(self.mark.encode())


@dataclass(frozen=True, eq=False)
class PhraseStock:
    """All phrases and arguments of one language."""

    language: str
    phrases: Mapping[str, Mapping[str, object]]
    arguments: dict[str, list[Argument]]
    gap: str
    """Separator between two sentences."""

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

    def detect_dimension(self, text: str) -> str:
        """Return the dimension with the most words in a text, or an empty text."""
        counts = self.count_keywords(text)
        dimension = max(counts, key=lambda name: counts[name])
        return dimension if counts[dimension] else ""

    def find_argument(self, clause: str) -> Argument | None:
        """Return the stock's argument that a clause comes from, or `None`."""
        return _find_argument(self.language, clause)

    def list_arguments_in(self, text: str) -> list[Argument]:
        """List the known arguments in a text, in its order."""
        arguments = [argument for side in self.arguments.values() for argument in side if argument.mark in text]
        return sorted(arguments, key=lambda argument: text.find(argument.mark))

    @cached_property
    def asides(self) -> list[str]:
        """Return the parts that identify phrases of mere transition."""
        keys = [("lines", key) for key in self.phrases["lines"]]
        keys += [("principles", key) for key in ("propose", "stand", "because", "agreeing", "differing", "join")]
        marks = [extract_mark(line).strip(" .,;:!?“”，。；：！？") for key in keys for line in self.get_variants(*key)]
        return [mark for mark in marks if len(mark) > 3]

    def is_aside(self, clause: str) -> bool:
        """Return whether a clause is a phrase of mere transition, or a part of one."""
        return any(mark in clause or clause[1:] in mark for mark in self.asides)


@lru_cache(maxsize=8)
def load_stock(language: str) -> PhraseStock:
    """Load the stock of a language."""
    phrases = cast(Mapping[str, Mapping[str, object]], load_table("rehearsal", language))
    arguments: dict[str, list[Argument]] = {}
    for dimension, sides in phrases["arguments"].items():
        for attitude, texts in cast(Mapping[str, list[list[str]]], sides).items():
            arguments.setdefault(attitude, []).extend(Argument(dimension, attitude, *parts) for parts in texts)
    return PhraseStock(language, phrases, arguments, "" if language == "zh" else " ")


@lru_cache(maxsize=4096)
def _find_argument(language: str, clause: str) -> Argument | None:
    arguments = (argument for side in load_stock(language).arguments.values() for argument in side)
    matches = [(len(part), argument) for argument in arguments for part in argument.marks if part in clause]
    return max(matches, key=lambda pair: pair[0])[1] if matches else None
