"""What one statement concedes, accepts and objects to, phrase by phrase.

A phrase of agreement counts only where the speaker asserts it: not if it is negated, hypothetical, asked, reported,
quoted, or part of the motion.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .clause import Assertion
from .languages import tongues
from .lexicon import Patterns
from .words import Sentence, sentences

POSITIVE = ("surrender", "error", "grant", "accept", "support")
NEGATIVE = ("object", "counter", "refusal")
NEUTRAL = ("again", "closing", "echo", "meta")
MASKED = ("object", "counter", *NEUTRAL)
"""Kinds that are looked for where negations that are none are struck out."""
REFUSABLE = ("grant", "accept")
"""Kinds whose negation is an objection of its own."""


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase that shows a stance, and what limits it.

    `limit` is empty if nothing does, `clause` if it says what exactly is granted ("right that …"), `object` if it names
    a thing that may be the whole matter or a part of it ("accept the …").
    """

    sentence: int
    start: int
    end: int
    kind: str
    limit: str = ""

    @property
    def place(self) -> tuple[int, int]:
        """Where it stands, for comparing."""
        return self.sentence, self.start


@dataclass(frozen=True, slots=True)
class Stance:
    """A statement's sentences and its cues in the order of its words."""

    sentences: tuple[Sentence, ...]
    cues: tuple[Cue, ...]

    def has(self, kind: str) -> bool:
        """Whether any cue is of this kind."""
        return any(cue.kind == kind for cue in self.cues)

    def quote(self, cue: Cue) -> str:
        """The sentence the cue stands in, without what it quotes."""
        return self.sentences[cue.sentence].raw

    def rest(self, cue: Cue) -> list[str]:
        """What follows the cue: the rest of its sentence and every later sentence, folded."""
        later = [sentence.words for sentence in self.sentences[cue.sentence + 1 :]]
        return [self.sentences[cue.sentence].words[cue.end :], *later]


@lru_cache(maxsize=1024)
def stance(text: str, topic: str = "") -> Stance:
    """Read a statement; phrases that also occur in the topic prove nothing."""
    motion = "".join(sentence.words for sentence in sentences(topic))
    read = sentences(text)
    readings = [[Assertion(sentence, patterns, motion) for patterns in tongues(sentence)] for sentence in read]
    kinds = {patterns: _kinds(patterns, readings) for patterns in {each.patterns for one in readings for each in one}}
    cues = [
        cue
        for index, one in enumerate(readings)
        for reading in one
        for cue in _cues(index, reading, kinds[reading.patterns])
    ]
    return Stance(read, tuple(sorted(cues, key=lambda cue: cue.place)))


def _kinds(patterns: Patterns, readings: list[list[Assertion]]) -> set[str]:
    """The kinds of phrases that may stand in sentences read in this language."""
    own = [reading for one in readings for reading in one if reading.patterns is patterns]
    words = [reading.sentence.words for reading in own]
    masked = [reading.masked for reading in own] if patterns.kinds(("harmless",), words) else words
    return {*patterns.kinds(POSITIVE, words), *patterns.kinds(MASKED, masked)}


def _cues(index: int, reading: Assertion, kinds: set[str]) -> Iterator[Cue]:
    """The cues of one sentence; a stretch of words is read as the first kind of agreement that fits it."""
    patterns = reading.patterns
    taken: list[tuple[int, int]] = []
    for kind in (kind for kind in POSITIVE if kind in kinds):
        for start, end in patterns.spans(kind, reading.sentence.words):
            if not _overlaps(start, end, taken):
                taken.append((start, end))
                yield from _agreement(index, kind, (start, end), reading)
    for kind in (kind for kind in MASKED if kind in kinds):
        for start, end in patterns.spans(kind, reading.masked):
            if kind in NEUTRAL or not _overlaps(start, end, taken):
                yield Cue(index, start, end, kind)


def _overlaps(start: int, end: int, taken: list[tuple[int, int]]) -> bool:
    return any(start < right and left < end for left, right in taken)


def _agreement(index: int, kind: str, span: tuple[int, int], reading: Assertion) -> Iterator[Cue]:
    start, end = span
    if kind in REFUSABLE and reading.is_negated(start):
        yield Cue(index, start, end, "refusal")
    elif reading.holds(kind, start, end):
        partly = kind in ("surrender", "error") and reading.is_partial(start, end)
        yield Cue(index, start, end, "grant" if partly else kind, reading.limit(start, end))
