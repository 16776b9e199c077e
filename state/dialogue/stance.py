"""What one statement concedes, accepts and objects to, phrase by phrase.

A phrase counts only where the speaker asserts it: not if it is negated, hypothetical, asked, reported or quoted. A grant
that is limited to one matter ("right that …") is *narrow*.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .lexicon import Patterns
from .tongues import tongues
from .words import Sentence, sentences

POSITIVE = ("surrender", "error", "grant", "accept", "support", "resolve")
NEGATIVE = ("object", "counter")
NEUTRAL = ("again", "closing")
_JOINT = re.compile(r" (?:,|and|so|but|because|then|y|e|pero|porque|pues|entonces) |,")
_RELATIVE = re.compile(r" (?:what|everything|all|lo que|todo lo que|cuanto) (?:[^ ]+ ){0,2}$")


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase that shows a stance: where it stands, what kind it is, and whether it is limited to one matter."""

    sentence: int
    start: int
    end: int
    kind: str
    narrow: bool = False


@dataclass(frozen=True, slots=True)
class Stance:
    """All cues of a statement in the order of its words."""

    sentences: tuple[Sentence, ...]
    cues: tuple[Cue, ...]

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
    found = [cue for index, sentence in enumerate(read) for cue in _cues(index, sentence, motion)]
    return Stance(read, tuple(sorted(found, key=lambda cue: (cue.sentence, cue.start))))


def _cues(index: int, sentence: Sentence, motion: str) -> Iterator[Cue]:
    for patterns in tongues(sentence):
        clause = _Asserted(sentence, patterns, motion)
        taken: list[tuple[int, int]] = []
        for kind in POSITIVE:
            for start, end in _matches(patterns, kind, sentence.words):
                if not any(start < right and left < end for left, right in taken) and clause.holds(kind, start, end):
                    taken.append((start, end))
                    partly = clause.is_partial(start, end) and kind in ("surrender", "error")
                    yield Cue(index, start, end, "grant" if partly else kind, partly or clause.is_narrow(start, end))
        for kind in NEGATIVE + NEUTRAL:
            for start, end in _matches(patterns, kind, clause.masked):
                if kind in NEUTRAL or not any(start < right and left < end for left, right in taken):
                    yield Cue(index, start, end, kind)


def _matches(patterns: Patterns, kind: str, words: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in patterns[kind].finditer(words))


class _Asserted:
    """Whether phrases of one sentence are asserted by its speaker, and how widely."""

    def __init__(self, sentence: Sentence, patterns: Patterns, motion: str) -> None:
        self.sentence, self.patterns, self.motion = sentence, patterns, motion
        self.masked = patterns["harmless"].sub(lambda match: "_" * len(match.group()), sentence.words)
        self.hypothetical = patterns["condition"].search(self.masked) is not None

    def holds(self, kind: str, start: int, end: int) -> bool:
        """Whether the phrase is neither negated, hypothetical, asked, reported nor part of the motion."""
        phrase = self.sentence.words[start:end]
        if self.hypothetical or (self.motion and phrase in self.motion) or self._asked(kind, end):
            return False
        opening = self._opening(start)
        before = self.masked[opening:start]
        if self.patterns["negation"].search(f"{before[-6:] if self.sentence.unspaced else before}"):
            return False
        if self.patterns["modal"].search(self.masked[opening : end + 1]) or self.patterns["concessive"].search(before + " "):
            return False
        return not self._reported(start)

    def is_narrow(self, start: int, end: int) -> bool:
        """Whether the clause itself or what follows limits the phrase to one matter."""
        words, pause = self.sentence.words, "," if self.sentence.unspaced else " , "
        if self.is_partial(start, end):
            return True
        after = words[end:].split(pause)[0] if self.sentence.unspaced else words[end:]
        if self.patterns["whole"].match(after, 0 if self.sentence.unspaced else min(1, len(after))):
            return False
        if self.sentence.unspaced:
            return len(after) > 3
        return self.patterns["narrows"].match(after, min(1, len(after))) is not None

    def is_partial(self, start: int, end: int) -> bool:
        """Whether the clause says outright that this holds only in part."""
        clause = re.split(",", self.sentence.words[self._opening(start) : end + 40])[0]
        return self.patterns["partly"].search(clause + " ") is not None

    def _opening(self, start: int) -> int:
        joints = [joint.end() - 1 for joint in _JOINT.finditer(self.sentence.words, 0, start + 1)]
        return joints[-1] if joints else 0

    def _asked(self, kind: str, end: int) -> bool:
        later = "," in self.sentence.words[end:] and kind in ("surrender", "error")
        return self.sentence.asked and not later

    def _reported(self, start: int) -> bool:
        before = self.sentence.words[max(0, start - 60) : start]
        for match in self.patterns["report"].finditer(before):
            if match.end() >= len(before) - 1:
                return not _RELATIVE.search(before[: match.start()])
        return False
