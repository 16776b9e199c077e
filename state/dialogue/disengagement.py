"""Have the speakers nothing left to say?

Shortness alone proves nothing: "the insurance does not cover it" is short and to the point. A statement is *thin* if
hardly a word of it carries an argument; a figure or a question always does. It takes thin statements from everybody,
and either one that declares itself the last word, or silence after fuller statements.
"""

from statistics import fmean

from .content import length, weight
from .finding import Finding, Transcript
from .stance import Stance, stance
from .words import Sentence

THIN = 2
"""Content words a statement may have and still say nothing."""
LAST_WORD = 6
"""The same for a statement that declares itself the last word."""
ALIVE = 3
"""What a question or a figure counts for."""
CURT, FULL = 6, 15
"""Words of a statement that is as good as silence if it says nothing, after statements of `FULL` words on average."""
EARLIER = 12
"""Statements before the last ones that tell how full the talk was."""
EMPTY_KINDS = ("closing", "grant", "accept", "echo")


def disengaged(talk: Transcript, window: int) -> Finding | None:
    """A stalemate in which each of the last `window` statements is thin."""
    first = max(0, len(talk.turns) - window)
    texts = [text for _, text in talk.turns[first:]]
    substance = [_substance(stance(text)) for text in texts]
    last_words = [text for text in texts if stance(text).has("closing")]
    thin = all(here <= (LAST_WORD if text in last_words else THIN) for text, here in zip(texts, substance, strict=True))
    if not thin or not (last_words or max(substance) == 0 or (sum(substance) <= 1 and _fell_silent(talk, first))):
        return None
    turns = list(range(first, len(talk.turns)))
    quote, note = (last_words or texts)[-1], "words that carry an argument"
    return Finding("stalemate_disengagement", turns, quote, max(substance), THIN, note)


def _substance(said: Stance) -> int:
    """Content words outside phrases that close, grant or accept."""
    total = 0
    for index, sentence in enumerate(said.sentences):
        spans = [(cue.start, cue.end) for cue in said.cues if cue.sentence == index and cue.kind in EMPTY_KINDS]
        closed = any(cue.kind == "closing" for cue in said.cues if cue.sentence == index)
        alive = (sentence.asked and not closed) or any(character.isdigit() for character in sentence.words)
        total += weight(_without(sentence, spans)) + (ALIVE if alive else 0)
    return total


def _without(sentence: Sentence, spans: list[tuple[int, int]]) -> str:
    kept = [character if not any(a <= at < b for a, b in spans) else " " for at, character in enumerate(sentence.words)]
    return "".join(kept)


def _fell_silent(talk: Transcript, first: int) -> bool:
    """Whether only a few words each came after statements of some length."""
    before = [length(text) for _, text in talk.turns[max(0, first - EARLIER) : first]]
    return bool(before) and fmean(before) >= FULL and all(length(text) <= CURT for _, text in talk.turns[first:])
