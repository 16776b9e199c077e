"""Positions of participants, round by round, and the test for consensus."""

import math
from collections.abc import Collection, Sequence
from itertools import pairwise

from pydantic import BaseModel, ConfigDict, Field

from ..positions.position import SYNTHESIZER, Position
from .draft import Confirmation, map_open_objections
from .lexical_agreement import measure_similarity

MIN_SIMILARITY = 0.2
"""Minimum similarity of two wordings of an unchanged position."""
STABLE_ROUNDS = 2
"""Number of rounds in a row without a change after which positions are stable."""


NOT_MEASURED = "not weighed"
"""Consequence of an incident that left a round without an agreement score."""


class AgreementScore(BaseModel):
    """Agreement scores of all participants after one round, by one measure."""

    model_config = ConfigDict(frozen=True)

    round: int = Field(ge=1, description="Round that was measured.")
    measure: str = Field(description="Name of the measure: declared, lexical, embedding or judge.")
    scores: dict[str, float] = Field(default_factory=dict, description="Agreement per participant, 0 to 1.")
    objections: dict[str, str] = Field(default_factory=dict, description="Open objections, by participant.")
    missing: list[str] = Field(
        default_factory=list, description="Participants without an answer, who never count as agreeing."
    )
    score: float = Field(default=0, ge=0, le=1, description="Mean of the scores; a missing one counts as 0.")
    note: str = Field(default="", description="Basis of the scores.")

    def list_agreeing_participants(self, threshold: float, opposing_names: Collection[str] = ()) -> list[str]:
        """List the participants whose score reaches `threshold`.

        Leave out participants with an objection, and `opposing_names`.
        """
        excluded_names = {*self.objections, *opposing_names}
        return [name for name, score in self.scores.items() if score >= threshold and name not in excluded_names]


def make_agreement_score(
    measure: str, round: int, scores: dict[str, float], objections: dict[str, str], seats: list[str]
) -> AgreementScore:
    """Make the agreement score of a round.

    `measure`: name of the measure. A participant in `seats` without a score counts as missing, and as 0 in the mean.
    """
    clamped_scores = {name: min(1.0, max(0.0, scores[name])) for name in seats if name in scores}
    return AgreementScore(
        round=round,
        measure=measure,
        scores=clamped_scores,
        objections={name: text for name, text in objections.items() if text.strip() and name in seats},
        missing=[name for name in seats if name not in scores],
        score=sum(clamped_scores.values()) / len(seats) if seats else 0.0,
    )


def compute_mean_similarities(vectors: Sequence[Sequence[float]]) -> list[float]:
    """Compute the mean cosine of each vector with all others. A negative mean becomes 0.

    `vectors`: one row per participant, all of the same length. The cosine with a row of zeros is 0. The mean of a
    single vector is 1.
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


def list_opposing_participants(positions: Sequence[Position]) -> list[str]:
    """List the participants whose last answer is “against”.

    The list is empty if no participant's last answer is “for”.
    """
    answers = {
        position.who: position.answer for position in positions if position.answer and position.who != SYNTHESIZER
    }
    return [name for name, answer in answers.items() if answer == "against"] if "for" in answers.values() else []


def has_position_changed(before: Position, after: Position) -> bool:
    """Return whether the content of a participant's position changed between two declarations."""
    has_new_answer = after.number is None and after.answer != before.answer and bool(after.answer and before.answer)
    return after.change == "substance" or has_new_answer or is_undeclared_change(before, after)


def is_undeclared_change(before: Position, after: Position) -> bool:
    """Return whether a participant declares an unchanged position, but in very different words."""
    return after.change == "none" and measure_similarity(before.position, after.position) < MIN_SIMILARITY


def list_position_changes(positions: Sequence[Position]) -> list[Position]:
    """List the declarations that changed their participant's position, in the order of rounds."""
    changed_positions: list[Position] = []
    declarations = [position for position in positions if position.agreement is not None]
    for name in dict.fromkeys(position.who for position in declarations):
        series = [position for position in declarations if position.who == name]
        changed_positions += [after for before, after in pairwise(series) if has_position_changed(before, after)]
    return sorted(changed_positions, key=lambda position: position.round)


def has_stable_positions(
    positions: Sequence[Position], confirmations: Sequence[Confirmation], agreement_scores: Sequence[AgreementScore]
) -> bool:
    """Return whether positions and open objections stayed the same for `STABLE_ROUNDS` rounds.

    All participants must have declared a position in each of these rounds. Measured agreement alone is not enough.
    """
    last_scores = list(agreement_scores)[-(STABLE_ROUNDS + 1) :]
    rounds = [score.round for score in last_scores]
    if len(rounds) <= STABLE_ROUNDS or rounds[-1] - rounds[0] != STABLE_ROUNDS:
        return False
    is_complete = all(score.measure == "declared" and not score.missing for score in last_scores)
    if not is_complete or any(change.round > rounds[0] for change in list_position_changes(positions)):
        return False
    objections_by_round = map_open_objections(positions, confirmations)
    return all(objections_by_round.get(before) == objections_by_round.get(after) for before, after in pairwise(rounds))


def get_dissents(
    agreement_scores: Sequence[AgreementScore], confirmations: Sequence[Confirmation] = ()
) -> dict[str, str]:
    """Return the open objections after the last round with an agreement score, by participant.

    Also return the objections to that round's draft. The texts are the participants' own words.
    """
    if not agreement_scores:
        return {}
    last_score = agreement_scores[-1]
    reasons = {answer.who: answer.reason for answer in confirmations if answer.round == last_score.round}
    return last_score.objections | {name: reason for name, reason in reasons.items() if reason.strip()}
