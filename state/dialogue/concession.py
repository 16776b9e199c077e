"""Has the last speaker given up the position?

A phrase of surrender is enough unless an argument follows it. Being told to be right is not: it is a concession only if
nothing is argued afterwards and it is not limited to one matter.
"""

from .content import weight
from .disengagement import closes
from .finding import Finding, Transcript
from .stance import NEGATIVE, Cue, Stance, stance

WORTH = {"surrender": 3.0, "error": 2.0, "grant": 1.0, "accept": 1.0, "support": 1.0}
"""How far each kind of phrase goes towards a concession; several of a kind count once."""
NARROW_WORTH = {"surrender": 2.0, "error": 1.0, "grant": 0.5, "accept": 0.5, "support": 1.0}
"""The same for a phrase limited to one matter."""
ENOUGH = 2.0

ROOM = {"surrender": 40, "error": 6, "grant": 3, "accept": 3}
"""Content words that may follow a phrase of this kind without being an argument against it."""
NARROW_ROOM = {"surrender": 8, "error": 4, "grant": -1, "accept": -1}
REMARK = 1
"""Content words of a sentence after a mere grant that is not yet an argument."""
AFTERTHOUGHT = 6
"""Content words after a counter that leave an unlimited surrender standing."""


def conceded(talk: Transcript) -> Finding | None:
    """A concession in the last statement, with the sentence it rests on and its score."""
    said = stance(talk.turns[-1][1], talk.topic)
    pool = _standing(said)
    claims = [cue for cue in pool if cue.kind in ROOM and _stands_alone(said, cue)]
    if not claims or (score := _score(pool, claims)) < ENOUGH:
        return None
    best = max(claims, key=_worth)
    if {cue.kind for cue in pool} <= {"grant", "accept"} and _closing(talk):
        return None
    last = len(talk.turns) - 1
    return Finding("concession_detected", [last], said.quote(best), score, ENOUGH, f"phrase of {best.kind}")


def _closing(talk: Transcript) -> bool:
    """Whether either side is only ending the talk: "fine, let's leave it" grants nothing."""
    before = talk.turns[-2][1] if len(talk.turns) > 1 else ""
    return stance(talk.turns[-1][1], talk.topic).has("closing") or closes(stance(before, talk.topic))


def _standing(said: Stance) -> list[Cue]:
    """The positive cues that no later argument takes back."""
    positive = [cue for cue in said.cues if cue.kind in WORTH]
    against = [cue for cue in said.cues if cue.kind in NEGATIVE and sum(_after(said, cue)) >= 1]
    if not against:
        return positive
    last = against[-1]
    after = [cue for cue in positive if cue.place > last.place]
    firm = [cue for cue in positive if cue.kind == "surrender" and not cue.limit and cue not in after]
    afterthought = last.kind == "counter" and sum(_after(said, last)) <= AFTERTHOUGHT
    return firm + after if firm and afterthought else after


def _score(pool: list[Cue], claims: list[Cue]) -> float:
    worth = {kind: max(_worth(cue) for cue in pool if cue.kind == kind) for kind in {cue.kind for cue in pool}}
    alone = any(cue.kind == "grant" and not cue.limit for cue in claims)
    return sum(worth.values()) + alone


def _worth(cue: Cue) -> float:
    return (NARROW_WORTH if cue.limit else WORTH)[cue.kind]


def _stands_alone(said: Stance, cue: Cue) -> bool:
    """Whether what follows the cue is too little, or too much in its spirit, to be an argument against it."""
    own, *later = _after(said, cue if cue.kind == "grant" else _last_claim(said, cue))
    room = (NARROW_ROOM if cue.limit else ROOM)[cue.kind]
    return own + sum(later) <= room and (cue.kind not in ("grant", "accept") or max(later, default=0) <= REMARK)


def _last_claim(said: Stance, cue: Cue) -> Cue:
    """The last phrase of the statement that gives way without limits: what stands before it was not the last word."""
    wide = [other for other in said.cues if other.kind in ROOM and not other.limit]
    return max([cue, *wide], key=lambda other: other.place)


def _after(said: Stance, cue: Cue) -> list[int]:
    """Content words in the rest of the cue's sentence and in each later one that does not give way itself."""
    yielding = {other.sentence for other in said.cues if other.kind in WORTH}
    heft = [weight(words) for words in said.rest(cue)]
    return [n if at == 0 or cue.sentence + at not in yielding else 0 for at, n in enumerate(heft)]
