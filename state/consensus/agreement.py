"""Where participants stand, round by round, and whether that is a consensus."""

import math
from collections.abc import Sequence
from itertools import pairwise

from pydantic import BaseModel, ConfigDict, Field

from ..positions.position import Position

SHIFT = 0.05
"""Smallest change of an agreement that counts as a move."""
STILL = 2
"""Rounds in a row without a move that show the positions to be stable."""


class Weighing(BaseModel):
    """How far a group had converged after a round."""

    model_config = ConfigDict(frozen=True)

    round: int = Field(ge=1, description="The round it was weighed after.")
    strategy: str = Field(description="declared, lexical, embedding or judge.")
    scores: dict[str, float] = Field(default_factory=dict, description="Agreement per participant, 0 to 1.")
    objections: dict[str, str] = Field(default_factory=dict, description="Open objections, by holder.")
    missing: list[str] = Field(default_factory=list, description="Who gave no answer; never taken for agreement.")
    score: float = Field(default=0, ge=0, le=1, description="Mean of the scores, a missing one counted as 0.")
    note: str = Field(default="", description="What the scores rest on.")

    def agreeing(self, threshold: float) -> list[str]:
        """Who is at or over the threshold without an open objection."""
        return [name for name, score in self.scores.items() if score >= threshold and not self.objections.get(name)]


def weigh_up(
    strategy: str, round: int, scores: dict[str, float], objections: dict[str, str], seats: list[str]
) -> Weighing:
    """A weighing of the participants in `seats`; those without a score are missing."""
    known = {name: min(1.0, max(0.0, scores[name])) for name in seats if name in scores}
    return Weighing(
        round=round,
        strategy=strategy,
        scores=known,
        objections={name: text for name, text in objections.items() if text.strip() and name in seats},
        missing=[name for name in seats if name not in scores],
        score=sum(known.values()) / len(seats) if seats else 0.0,
    )


def mean_similarities(vectors: Sequence[Sequence[float]]) -> list[float]:
    """Each vector's mean cosine with all others, negative ones as 0; a single one agrees with itself.

    `vectors` has one row per participant, all of one length; a row of zeros agrees with nobody.
    """
    norms = [math.hypot(*row) for row in vectors]
    units = [[x / norm if norm else 0.0 for x in row] for row, norm in zip(vectors, norms, strict=True)]

    def cosine(one: int, other: int) -> float:
        return sum(x * y for x, y in zip(units[one], units[other], strict=True))

    seats = range(len(vectors))
    means = [sum(cosine(one, other) for other in seats if other != one) / max(1, len(vectors) - 1) for one in seats]
    return [1.0] if len(vectors) == 1 else [min(1.0, max(0.0, mean)) for mean in means]


def is_consensus(weighing: Weighing, seats: int, threshold: float, share: float) -> bool:
    """Whether at least `share` of all `seats` agree without objection; a share of 1 means all."""
    return bool(seats) and len(weighing.agreeing(threshold)) >= share * seats - 1e-9


def moved(before: Position, after: Position) -> bool:
    """Whether a participant's declared position changed between two rounds."""
    return (
        bool(after.moved_by)
        or abs((after.agreement or 0) - (before.agreement or 0)) >= SHIFT
        or bool(after.objection.strip()) != bool(before.objection.strip())
    )


def moves(positions: Sequence[Position]) -> list[Position]:
    """The declarations of agreement that changed their holder's position, in order."""
    found: list[Position] = []
    weighed = [position for position in positions if position.agreement is not None]
    for who in dict.fromkeys(position.who for position in weighed):
        own = [position for position in weighed if position.who == who]
        found += [after for before, after in pairwise(own) if moved(before, after)]
    return sorted(found, key=lambda position: position.round)


def is_stable(positions: Sequence[Position], weighings: Sequence[Weighing]) -> bool:
    """Whether nobody moved in the last `STILL` rounds: no declared position and no score changed."""
    last = list(weighings)[-(STILL + 1) :]
    if len(last) <= STILL or last[-1].round - last[0].round != STILL:
        return False
    if any(weighing.missing for weighing in last) or any(one.round > last[0].round for one in moves(positions)):
        return False
    return all(
        set(before.scores) == set(after.scores)
        and all(abs(after.scores[name] - score) < SHIFT for name, score in before.scores.items())
        for before, after in pairwise(last)
    )


def dissents(weighings: Sequence[Weighing]) -> dict[str, str]:
    """Objections of the last round that was weighed, by holder; where objections were declared, in their own words."""
    return dict(weighings[-1].objections) if weighings else {}
