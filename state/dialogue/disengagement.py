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
CURT, FULL = 8, 15
"""Words of a statement that is as good as silence if it says nothing, after statements of `FULL` words on average."""
EARLIER = 12
"""Statements before the last ones that tell how full the talk was."""
EMPTY_KINDS = ("closing", "meta", "grant", "accept", "echo")


def disengaged(talk: Transcript, window: int) -> Finding | None:
    """A stalemate in which each of the last `window` statements is thin."""
    first = max(0, len(talk.turns) - window)
    texts = [text for _, text in talk.turns[first:]]
    said = [stance(text, talk.topic) for text in texts]
    substance = [_substance(each) for each in said]
    thin = all(here <= (LAST_WORD if closes(each) else THIN) for here, each in zip(substance, said, strict=True))
    if not thin or not (any(map(closes, said)) or _fell_silent(talk, first, substance)):
        return None
    turns = list(range(first, len(talk.turns)))
    return Finding("stalemate_disengagement", turns, texts[-1], max(substance), THIN, "words that carry an argument")


def closes(said: Stance) -> bool:
    """Whether the statement declares itself the last word, or speaks of nothing but the talk itself."""
    return said.has("closing") or (said.has("meta") and _substance(said) == 0)


def _substance(said: Stance) -> int:
    """Content words outside phrases that close, grant, accept or speak of the talk."""
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


def _fell_silent(talk: Transcript, first: int, substance: list[int]) -> bool:
    """Whether nothing at all is said; or nothing by one, and little by the others, after statements of some length."""
    before = [length(text) for _, text in talk.turns[max(0, first - EARLIER) : first]]
    curt = all(length(text) <= CURT for _, text in talk.turns[first:])
    return max(substance) == 0 or (min(substance) == 0 and curt and fmean(before or [0]) >= FULL)
