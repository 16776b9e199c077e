"""Whether the speaker of a sentence asserts a phrase that stands in it, and how widely."""

import re
from functools import cached_property

from .lexicon import Patterns
from .words import Sentence

FIRM = ("surrender", "error")
"""Kinds of phrases that a question at the end of their sentence does not turn into questions."""
ATTRIBUTE = re.compile("的(?![,是了吧]|$)")
"""What makes a Chinese phrase an attribute of the noun that follows."""
PARTLY_WITHIN = 40
"""Characters after a phrase in which a limit may be spelled out."""
REPORT_WITHIN = 60
"""Characters before a phrase in which it may be attributed to somebody."""

_JOINT = re.compile(r" (?:,|and|so|but|because|then|y|e|pero|porque|pues|entonces) |,")
_RELATIVE = re.compile(r" (?:what|everything|all|lo que|todo lo que|cuanto) (?:[^ ]+ ){0,2}$")


class Assertion:
    """One sentence read in one language, beside a motion whose words prove nothing."""

    def __init__(self, sentence: Sentence, patterns: Patterns, motion: str) -> None:
        self.sentence, self.patterns, self.motion = sentence, patterns, motion

    @cached_property
    def masked(self) -> str:
        """The words, with negations, conditions and counters that are none struck out."""
        words = self.sentence.words
        for start, end in self.patterns.spans("harmless", words):
            words = f"{words[:start]}{'_' * (end - start)}{words[end:]}"
        return words

    def holds(self, kind: str, start: int, end: int) -> bool:
        """Whether the phrase is not negated, hypothetical, conceded in passing, asked, reported or the motion's."""
        opening = self._opening(start)
        if self._hypothetical or self._in_motion(start, end) or self._asked(kind, end) or self.is_negated(start):
            return False
        if self.sentence.unspaced and kind in FIRM and ATTRIBUTE.match(self.sentence.words, end):
            return False
        if self.patterns.occurs("modal", self.masked[opening : end + 1]):
            return False
        return not self.patterns.occurs("concessive", self.masked[opening:start] + " ") and not self._reported(start)

    def is_negated(self, start: int) -> bool:
        """Whether a negation stands before the phrase in the same clause."""
        before = self.masked[self._opening(start) : start]
        return self.patterns.occurs("negation", before[-6:] if self.sentence.unspaced else before)

    def is_partial(self, start: int, end: int) -> bool:
        """Whether the clause says outright that the phrase holds only in part."""
        clause = self.sentence.words[self._opening(start) : end + PARTLY_WITHIN].split(",")[0]
        return self.patterns.occurs("partly", clause + " ")

    def limit(self, start: int, end: int) -> str:
        """What limits the phrase: `clause`, `object` or nothing; see `Cue`."""
        after = self.sentence.words[end:].split(",")[0] if self.sentence.unspaced else self.sentence.words[end:]
        if self.is_partial(start, end):
            return "clause"
        if self.patterns.begins("whole", after):
            return ""
        if self.patterns.begins("narrows", after):
            return "clause"
        return "object" if self.patterns.begins("names", after) else ""

    @cached_property
    def _hypothetical(self) -> bool:
        return self.patterns.occurs("condition", self.masked)

    def _in_motion(self, start: int, end: int) -> bool:
        return bool(self.motion) and self.sentence.words[start:end] in self.motion

    def _opening(self, start: int) -> int:
        """Where the clause of the phrase begins."""
        joints = [joint.end() - 1 for joint in _JOINT.finditer(self.sentence.words, 0, start + 1)]
        return joints[-1] if joints else 0

    def _asked(self, kind: str, end: int) -> bool:
        return self.sentence.asked and not (kind in FIRM and "," in self.sentence.words[end:])

    def _reported(self, start: int) -> bool:
        before = self.sentence.words[max(0, start - REPORT_WITHIN) : start]
        for begin, end in self.patterns.spans("report", before):
            between = before[end:].split()
            if "," not in between and len(between) <= (2 if before[begin:end].endswith((" that", " que")) else 0):
                return not _RELATIVE.search(before[:begin])
        return False
