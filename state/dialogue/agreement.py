"""How far does each participant of a group agree, going by the latest statements?

Agreement is what a speaker says for it, net of what the same statement then says against it. A proposal that all others
have agreed to since counts as its speaker's consent; nobody else is taken to agree for not having objected.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean

from .content import overlap, stems, weight
from .finding import Transcript
from .stance import NEGATIVE, Cue, Stance, stance

AGREED = 0.8
"""Score from which a participant counts as agreeing."""
CONSENT, PROPOSER, QUALIFIED, NEUTRAL, HEDGED, OPPOSED = 1.0, 0.9, 0.6, 0.4, 0.3, 0.1
"""Scores of a consent, of a proposal all others have agreed to, of a consent to a part or with indifference, of
neither, of a consent that is then taken back, and of an objection."""
NEW_MATTER = 12
"""Content words after a consent that open a new matter."""
YES = ("surrender", "error", "grant", "accept")


@dataclass(frozen=True, slots=True)
class Leaning:
    """How far one participant agrees in [0, 1], the statement (0-based; none: silent) and the words it rests on."""

    speaker: str
    score: float = 0.0
    turn: int | None = None
    quote: str = ""
    objection: str = ""
    note: str = "has not spoken"


def leanings(talk: Transcript, speakers: Sequence[str]) -> list[Leaning]:
    """One leaning for each of `speakers`, in their order."""
    latest = talk.latest()
    read = [_leaning(talk, name, latest[name]) if name in latest else Leaning(name) for name in speakers]
    spoken = [leaning for leaning in read if leaning.turn is not None]
    return [_in_company(own, [other for other in spoken if other is not own], talk) for own in read]


def similarity(talk: Transcript, speakers: Sequence[str]) -> float:
    """Mean pairwise overlap (Jaccard, [0, 1]) of the content words of the speakers' latest statements."""
    latest = talk.latest()
    words = [stems(talk.turns[latest[name]][1]) for name in speakers if name in latest]
    return fmean([overlap(one, two) for one, two in combinations(words, 2)] or [0.0])


def _leaning(talk: Transcript, name: str, turn: int) -> Leaning:
    said = stance(talk.turns[turn][1], talk.topic)
    yes = [cue for cue in said.cues if cue.kind in YES or (cue.kind == "echo" and _joins_consent(talk, turn))]
    wide = [cue for cue in yes if cue.limit != "clause"]
    against = _against(said, wide[-1] if wide else None, bool(yes))
    if against is not None:
        quote = said.quote(against)
        return Leaning(name, HEDGED if yes else OPPOSED, turn, quote, quote, f"phrase of {against.kind}")
    if not yes:
        return Leaning(name, NEUTRAL, turn, talk.turns[turn][1], note="neither agrees nor objects")
    best = (wide or yes)[-1]
    full = wide and not said.has("closing") and sum(map(weight, said.rest(best))) <= NEW_MATTER
    return Leaning(name, CONSENT if full else QUALIFIED, turn, said.quote(best), note=f"phrase of {best.kind}")


def _joins_consent(talk: Transcript, turn: int) -> bool:
    """Whether the statement before consents, or joins one that does."""
    for _, text in reversed(talk.turns[:turn]):
        said = stance(text, talk.topic)
        if said.has("closing") or any(cue.kind in NEGATIVE for cue in said.cues):
            return False
        if any(cue.kind in YES for cue in said.cues):
            return True
        if not said.has("echo"):
            return False
    return False


def _against(said: Stance, consent: Cue | None, granted: bool) -> Cue | None:
    """The last objection that no later consent answers; a mere turn of speech counts only after a grant."""
    kinds = NEGATIVE if granted else tuple(kind for kind in NEGATIVE if kind != "counter")
    later = [cue for cue in said.cues if cue.kind in kinds and (consent is None or cue.place > consent.place)]
    weighty = [cue for cue in later if cue.kind != "counter" or sum(map(weight, said.rest(cue))) >= 2]
    return weighty[-1] if weighty else None


def _in_company(own: Leaning, others: list[Leaning], talk: Transcript) -> Leaning:
    """A neutral statement in the light of the others': their later consent to it, or else its likeness to theirs."""
    if own.score != NEUTRAL or own.turn is None or not others:
        return own
    if all(other.score >= AGREED and other.turn is not None and other.turn > own.turn for other in others):
        return replace(own, score=PROPOSER, note="all others have agreed since")
    words, mine = [stems(talk.turns[other.turn][1]) for other in others if other.turn is not None], stems(own.quote)
    alike = sum(overlap(mine, theirs) for theirs in words) / len(others)
    return replace(own, score=NEUTRAL + (1 - NEUTRAL) * alike, note="likeness to the others' latest statements")
