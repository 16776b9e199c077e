"""Positions of participants, round by round, and the test for consensus."""

import math
from collections.abc import Sequence
from itertools import pairwise

from pydantic import BaseModel, ConfigDict, Field

from ..positions.position import Position

MIN_SHIFT = 0.05
"""Smallest change of an agreement that counts as a move."""
STABLE_ROUNDS = 2
"""Number of rounds in a row without a move that shows stable positions."""


NOT_MEASURED = "not weighed"
"""Consequence of an incident that left a round without a measure."""


class AgreementScore(BaseModel):
    """Convergence of a group after a round."""

    model_config = ConfigDict(frozen=True)

    round: int = Field(ge=1, description="The round it was weighed after.")
    strategy: str = Field(description="declared, lexical, embedding or judge.")
    scores: dict[str, float] = Field(default_factory=dict, description="Agreement per participant, 0 to 1.")
    objections: dict[str, str] = Field(default_factory=dict, description="Open objections, by holder.")
    missing: list[str] = Field(default_factory=list, description="Who gave no answer; never taken for agreement.")
    score: float = Field(default=0, ge=0, le=1, description="Mean of the scores, a missing one counted as 0.")
    note: str = Field(default="", description="What the scores rest on.")

    def list_agreeing(self, threshold: float) -> list[str]:
        """List the participants at or above the threshold without an open objection."""
        return [name for name, score in self.scores.items() if score >= threshold and not self.objections.get(name)]


def make_agreement_score(
    strategy: str, round: int, scores: dict[str, float], objections: dict[str, str], seats: list[str]
) -> AgreementScore:
    """Make the agreement score of the group in `seats`; a participant without a score counts as missing."""
    clamped_scores = {name: min(1.0, max(0.0, scores[name])) for name in seats if name in scores}
    return AgreementScore(
        round=round,
        strategy=strategy,
        scores=clamped_scores,
        objections={name: text for name, text in objections.items() if text.strip() and name in seats},
        missing=[name for name in seats if name not in scores],
        score=sum(clamped_scores.values()) / len(seats) if seats else 0.0,
    )


def compute_mean_similarities(vectors: Sequence[Sequence[float]]) -> list[float]:
    """Compute the mean cosine of each vector with all others; a negative mean becomes 0.

    `vectors` has one row per participant, all of one length. A row of zeros has cosine 0. A single vector
    gets 1.
    """
    norms = [math.hypot(*row) for row in vectors]
    unit_vectors = [[x / norm if norm else 0.0 for x in row] for row, norm in zip(vectors, norms, strict=True)]

    def compute_cosine(first: int, second: int) -> float:
        return sum(x * y for x, y in zip(unit_vectors[first], unit_vectors[second], strict=True))

    seats = range(len(vectors))
    means = [
        sum(compute_cosine(seat, other_seat) for other_seat in seats if other_seat != seat) / max(1, len(vectors) - 1)
        for seat in seats
    ]
    return [1.0] if len(vectors) == 1 else [min(1.0, max(0.0, mean)) for mean in means]


def is_consensus(agreement_score: AgreementScore, seats: int, threshold: float, share: float) -> bool:
    """Return whether at least `share` of all `seats` agree without objection; a share of 1 means all."""
    return bool(seats) and len(agreement_score.list_agreeing(threshold)) >= share * seats - 1e-9


def has_position_changed(before: Position, after: Position) -> bool:
    """Return whether a participant's declared position changed between two rounds."""
    return (
        bool(after.moved_by)
        or abs((after.agreement or 0) - (before.agreement or 0)) >= MIN_SHIFT
        or bool(after.objection.strip()) != bool(before.objection.strip())
    )


def list_position_changes(positions: Sequence[Position]) -> list[Position]:
    """Return the declarations that changed the declared position of a participant, by round."""
    changed_positions: list[Position] = []
    declarations = [position for position in positions if position.agreement is not None]
    for name in dict.fromkeys(position.who for position in declarations):
        series = [position for position in declarations if position.who == name]
        changed_positions += [after for before, after in pairwise(series) if has_position_changed(before, after)]
    return sorted(changed_positions, key=lambda position: position.round)


def has_stable_positions(positions: Sequence[Position], agreement_scores: Sequence[AgreementScore]) -> bool:
    """Return whether no declared position and no score changed in the last `STABLE_ROUNDS` rounds."""
    last_scores = list(agreement_scores)[-(STABLE_ROUNDS + 1) :]
    if len(last_scores) <= STABLE_ROUNDS or last_scores[-1].round - last_scores[0].round != STABLE_ROUNDS:
        return False
    if any(agreement_score.missing for agreement_score in last_scores) or any(
        change.round > last_scores[0].round for change in list_position_changes(positions)
    ):
        return False
    return all(
        set(before.scores) == set(after.scores)
        and all(abs(after.scores[name] - score) < MIN_SHIFT for name, score in before.scores.items())
        for before, after in pairwise(last_scores)
    )


def get_dissents(agreement_scores: Sequence[AgreementScore]) -> dict[str, str]:
    """Return the open objections of the last scored round, by participant; empty without a scored round.

    Declared objections are in the participant's own words.
    """
    return dict(agreement_scores[-1].objections) if agreement_scores else {}
