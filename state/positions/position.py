"""Declared positions: an answer, its certainty, and a stance such as “concede”."""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from pydantic import Field

from ..frozen_models import FrozenModel
from .settings import AnswerFormat

SYNTHESIZER = "synthesizer"
"""Author of a debate's answer. No participant can have this name."""
CERTAINTY_TOLERANCE = 5.0
"""Largest change of a certainty, in points of 100, in an unchanged position."""

PositionStance = Literal["", "hold", "partly", "concede"]
PositionChange = Literal["", "none", "wording", "substance"]


class Position(FrozenModel):
    """Position that a participant declared.

    Before it declares again in a consensus dialogue, a participant sees its own last position and the open objections.
    Participants see the words of others' positions only as options of a vote, without names. The synthesizer of a
    consensus dialogue sees all positions.
    """

    round: int = Field(ge=0, description="Round before the declaration; 0: before round 1.")
    turn: int = Field(
        default=0,
        ge=0,
        description="Turns before the declaration; in arms without turns: number of the sample, or the round.",
    )
    when: Literal["before", "round", "after"] = Field(
        default="round",
        description="Moment: `before` round 1, `round`: after a round or as a sample, `after`: at the end.",
    )
    who: str = Field(description="Participant; `synthesizer`: the neutral model of a debate.")
    answer: str = Field(
        default="",
        description="Answer: an option's id, for, against, undecided, or a number; empty: only the agreement "
        "with the group was asked for.",
    )
    number: float | None = Field(default=None, description="Answer as a number; empty: not a number.")
    unit: str = Field(default="", description="Unit of the number.")
    certainty: float | None = Field(
        default=None, ge=0, le=100, description="Certainty of the participant, 0 to 100; empty: not asked."
    )
    stance: PositionStance = Field(default="", description="Stance: hold, partly or concede; empty: not asked.")
    position: str = Field(default="", description="Position in the participant's own words; empty: not asked.")
    agreement: float | None = Field(
        default=None, ge=0, le=1, description="Agreement with the group, 0 to 1; empty: not asked."
    )
    objection: str = Field(default="", description="New objection; empty: no new objection.")
    standing: list[int] = Field(
        default_factory=list, description="Numbers of the open objections that the participant supports."
    )
    change: PositionChange = Field(
        default="", description="Change since the last position: none, wording or substance; empty: not asked."
    )
    changed_by: str = Field(
        default="", description="Participant whose statement changed the position; empty: no change."
    )


def group_by_moment(positions: Sequence[Position]) -> list[dict[str, Position]]:
    """Group the positions by the moment of the question, in order. Each group is by participant.

    A participant without an answer is missing from its group.
    """
    positions_by_turn: dict[int, dict[str, Position]] = {}
    for position in positions:
        if position.answer and position.who != SYNTHESIZER:
            positions_by_turn.setdefault(position.turn, {})[position.who] = position
    return [positions_by_turn[turn] for turn in sorted(positions_by_turn)]


def select_final_positions(positions: Sequence[Position]) -> dict[str, Position]:
    """Return the last positions of the participants who answered when Moot last asked for them.

    The mapping is empty if Moot asked only before round 1.
    """
    last_groups = group_by_moment(positions)[-1:]
    return (
        last_groups[0] if last_groups and all(position.when != "before" for position in last_groups[0].values()) else {}
    )


def has_changed(before: Position, after: Position, answer_format: AnswerFormat) -> bool:
    """Return whether a participant's answer changed. Numbers within the tolerance count as equal."""
    return not answer_format.is_same_answer(before.answer, after.answer)


def is_unchanged(
    before: Mapping[str, Position], after: Mapping[str, Position], answer_format: AnswerFormat, seats: Collection[str]
) -> bool:
    """Return whether all `seats` answered both times and kept their positions.

    A kept position has the same answer and a certainty within `CERTAINTY_TOLERANCE`.
    """
    if not set(seats) == before.keys() == after.keys():
        return False
    return not any(
        has_changed(position, after[name], answer_format)
        or abs((after[name].certainty or 0) - (position.certainty or 0)) > CERTAINTY_TOLERANCE
        for name, position in before.items()
    )
