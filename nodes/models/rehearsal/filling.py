"""Sentences made from the stock: slots filled, capitals set, nothing said twice."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import Formatter
from zlib import crc32

from .motion import Motion
from .stock import Argument, Stock

_CONTRACTED = re.compile(r"\b([Dd]e|[Aa]) el (?=[a-zñáéíóú])")
_BEGINNING = re.compile(r"([.?!] )([a-zñáéíóú])")


@dataclass(frozen=True)
class Filling:
    """Fills the slots of one statement.

    The slots of an argument, and the way claim and ground are joined, count the turns like the wheels of a mileage
    counter: its sentence comes back only after as many turns as there are combinations, about a thousand.
    """

    stock: Stock
    motion: Motion
    seed: int
    turn: int
    names: Mapping[str, str]

    def fill(self, template: str, key: int = 0, **given: str) -> str:
        """`template` as a sentence or clause; `key` keeps two sentences of one statement apart."""
        text = template.format_map({hole: given.get(hole) or self._value(hole, key) for hole in holes(template)})
        return _CONTRACTED.sub(r"\1l ", text) if self.stock.language == "es" else text

    def clauses(self, argument: Argument) -> tuple[str, str, int]:
        """Claim and ground, filled, and where to begin in the list of joins."""
        left, wheel, values = self.turn, argument.key + self.seed, {}
        for hole in dict.fromkeys(holes(argument.ground)):
            if listed := self.stock.lines("slots", hole):
                left, digit = divmod(left, len(listed))
                wheel += digit
                values[hole] = listed[wheel % len(listed)]
        claim, ground = (self.fill(part, argument.key, **values) for part in (argument.claim, argument.ground))
        return claim, ground, left + wheel

    def _value(self, hole: str, key: int) -> str:
        step = self.turn + key
        if hole in self.names:
            return self.names[hole]
        if hole == "plan":
            short = self.motion.plan[1:] or self.motion.plan
            return self.motion.plan[0] if step % 4 == 0 else short[step % len(short)]
        if hole == "rest":
            return self.motion.rest[step % len(self.motion.rest)]
        if hole == "thing":
            things = self.motion.terms or self.motion.plan[-1:]
            return things[step % len(things)]
        values = self.stock.lines("slots", hole)
        return values[(step + crc32(f"{self.seed}{hole}".encode())) % len(values)]


@lru_cache(maxsize=4096)
def holes(template: str) -> tuple[str, ...]:
    """The slots of a template."""
    return tuple(hole for _, hole, _, _ in Formatter().parse(template) if hole)


def sentence(text: str) -> str:
    """`text` with capitals where sentences begin."""
    text = _BEGINNING.sub(lambda match: match[1] + match[2].upper(), text)
    return text[:1].upper() + text[1:]


def first_unsaid(candidates: Iterable[str], said: str, parts: Sequence[str] = ()) -> str:
    """The first candidate that is neither in the record nor already part of this statement; empty if all are."""
    return next((one for one in candidates if one and one not in said and one not in parts), "")
