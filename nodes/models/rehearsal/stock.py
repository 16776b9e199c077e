"""The stock of phrases of one language."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from string import Formatter
from typing import cast
from zlib import crc32

from ....prompts import table
from ....state.lexical import is_ideograph

_MARKS = " .,;:!?“”，。；：！？"
_CLAUSE = re.compile(r"[,;，；] ?(?:and |but |y |e |pero |而|但)?")


@lru_cache(maxsize=4096)
def mark(template: str) -> str:
    """The longest part of a template without a slot, and without its first letter, which may be a capital."""
    return max((text[not i :] for i, (text, *_) in enumerate(Formatter().parse(template))), key=len).strip()


@dataclass(frozen=True)
class Argument:
    """A claim, its ground, and what the other side answers, in one dimension and for one attitude.

    Attitudes are `for`, `against` and `joint`; to a joint argument nobody answers.
    """

    dimension: str
    attitude: str
    claim: str
    ground: str
    answer: str = ""

    @cached_property
    def mark(self) -> str:
        """The longest part of the claim without a slot: by it the argument is known again."""
        return mark(self.claim)

    @cached_property
    def marks(self) -> list[str]:
        """By these parts of claim and ground a quoted clause is known again."""
        parts = (mark(part) for side in (self.claim, self.ground) for part in _CLAUSE.split(side))
        return [part for part in parts if len(part) > (3 if is_ideograph(part[-1:] or " ") else 12)] or [self.mark]

    @cached_property
    def key(self) -> int:
        """A number of its own."""
        return crc32(self.mark.encode())


@dataclass(frozen=True)
class Stock:
    """What can be said in one language."""

    language: str
    words: Mapping[str, Mapping[str, object]]
    arguments: dict[str, list[Argument]]

    @property
    def gap(self) -> str:
        """What stands between two sentences."""
        return "" if self.language == "zh" else " "

    def lines(self, section: str, key: str) -> list[str]:
        """The variants of one phrase."""
        found = self.words[section].get(key, [])
        return [found] if isinstance(found, str) else cast(list[str], found)

    def line(self, section: str, key: str) -> str:
        """A phrase of which there is one variant."""
        return self.lines(section, key)[0]

    def dimension_in(self, text: str) -> str:
        """The dimension whose words come most often in a text; empty where none does."""
        words = text.casefold()
        counts = {name: sum(map(words.count, self.lines("keywords", name))) for name in self.words["keywords"]}
        best = max(counts, key=lambda name: counts[name])
        return best if counts[best] else ""

    def source(self, clause: str) -> Argument | None:
        """The argument a clause is from; none for anybody's own words."""
        return _source(self.language, clause)

    def argued_in(self, text: str) -> list[Argument]:
        """The known arguments a text makes, in its order."""
        found = [(text.find(one.mark), one) for side in self.arguments.values() for one in side if one.mark in text]
        return [one for _, one in sorted(found, key=lambda pair: pair[0])]

    @cached_property
    def asides(self) -> list[str]:
        """The phrases that only lead from one thought to the next, by their marks."""
        keys = [("lines", key) for key in self.words["lines"]]
        keys += [("principles", key) for key in ("propose", "stand", "because", "agreeing", "differing", "join")]
        return [part for key in keys for line in self.lines(*key) if len(part := mark(line).strip(_MARKS)) > 3]

    def is_aside(self, clause: str) -> bool:
        """Whether a clause is one of those phrases, or part of one."""
        return any(part in clause or clause[1:] in part for part in self.asides)


@lru_cache(maxsize=8)
def stock(language: str) -> Stock:
    """The stock of a catalogue language."""
    words = cast(Mapping[str, Mapping[str, object]], table("rehearsal", language))
    by_attitude: dict[str, list[Argument]] = {}
    for dimension, sides in words["arguments"].items():
        for attitude, listed in cast(Mapping[str, list[list[str]]], sides).items():
            by_attitude.setdefault(attitude, []).extend(Argument(dimension, attitude, *one) for one in listed)
    return Stock(language, words, by_attitude)


@lru_cache(maxsize=4096)
def _source(language: str, clause: str) -> Argument | None:
    every = (one for side in stock(language).arguments.values() for one in side)
    found = [(len(part), one) for one in every for part in one.marks if part in clause]
    return max(found, key=lambda pair: pair[0])[1] if found else None
