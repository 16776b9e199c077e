"""Sentences from phrase templates: slots filled, capitals set, no repetition."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import Formatter
from zlib import crc32

from .motion import Motion
from .stock import Argument, PhraseStock

_CONTRACTION = re.compile(r"\b([Dd]e|[Aa]) el (?=[a-zñáéíóú])")
_SENTENCE_START = re.compile(r"([.?!] )([a-zñáéíóú])")


@dataclass(frozen=True)
class TemplateFiller:
    """Filler for the slots of one statement.

    The slot values of an argument, and its join of claim and ground, advance with the turns like the wheels
    of an odometer. A sentence repeats only after all combinations, about a thousand turns.
    """

    stock: PhraseStock
    motion: Motion
    seed: int
    turn: int
    names: Mapping[str, str]

    def fill_template(self, template: str, key: int = 0, **values: str) -> str:
        """Fill `template` as a sentence or clause. `key` varies the values within one statement."""
        text = template.format_map(
            {slot: values.get(slot) or self._pick_value(slot, key) for slot in list_slots(template)}
        )
        return _CONTRACTION.sub(r"\1l ", text) if self.stock.language == "es" else text

    def fill_argument(self, argument: Argument) -> tuple[str, str, int]:
        """Return the filled claim and ground, and the start index in the list of joins."""
        quotient, wheel, values = self.turn, argument.key + self.seed, {}
        for slot in dict.fromkeys(list_slots(argument.ground)):
            if options := self.stock.get_variants("slots", slot):
                quotient, digit = divmod(quotient, len(options))
                wheel += digit
                values[slot] = options[wheel % len(options)]
        claim, ground = (self.fill_template(part, argument.key, **values) for part in (argument.claim, argument.ground))
        return claim, ground, quotient + wheel

    def _pick_value(self, slot: str, key: int) -> str:
        step = self.turn + key
        if slot in self.names:
            return self.names[slot]
        if slot == "plan":
            short_names = self.motion.proposals[1:] or self.motion.proposals
            return self.motion.proposals[0] if step % 4 == 0 else short_names[step % len(short_names)]
        if slot == "rest":
            return self.motion.opposites[step % len(self.motion.opposites)]
        if slot == "thing":
            things = self.motion.terms or self.motion.proposals[-1:]
            return things[step % len(things)]
        values = self.stock.get_variants("slots", slot)
        return values[(step + crc32(f"{self.seed}{slot}".encode())) % len(values)]


@lru_cache(maxsize=4096)
def list_slots(template: str) -> tuple[str, ...]:
    """List the slots of a template."""
    return tuple(slot for _, slot, _, _ in Formatter().parse(template) if slot)


def capitalize_sentences(text: str) -> str:
    """Capitalize `text` at the start of each sentence."""
    text = _SENTENCE_START.sub(lambda match: match[1] + match[2].upper(), text)
    return text[:1].upper() + text[1:]


def pick_unused_text(candidates: Iterable[str], record_text: str, parts: Sequence[str] = ()) -> str:
    """Return the first candidate that neither the record nor this statement contains; empty without one."""
    return next(
        (
            candidate
            for candidate in candidates
            if candidate and candidate not in record_text and candidate not in parts
        ),
        "",
    )
