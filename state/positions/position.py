"""What a participant declared: its position, how sure it is, and whether it holds its case."""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from .rules import Question

SYNTHESIZER = "synthesizer"
"""Who names a debate's answer; no participant can have this name."""
QUIET = 5.0
"""Largest change of a certainty, in points of 100, with which a position still counts as unmoved."""

Stance = Literal["", "hold", "partly", "concede"]


class Position(BaseModel):
    """What a participant declared.

    No participant is ever told of it, not even its owner; a group's synthesizer is told who moved, and in which words.
    """

    model_config = ConfigDict(frozen=True)

    round: int = Field(ge=0, description="The round it was declared after; 0: before the talk.")
    turn: int = Field(default=0, ge=0, description="Turns taken by then.")
    when: Literal["before", "round", "after"] = Field(
        default="round", description="Before the talk, after a round, or when the talk had ended."
    )
    who: str = Field(description="The participant; `synthesizer`: the neutral model of a debate.")
    answer: str = Field(
        default="", description="An option's id, for, against, undecided, or a number; empty: it was not asked for."
    )
    number: float | None = Field(default=None, description="The answer as a number; none where it is no number.")
    unit: str = Field(default="", description="The unit of the number.")
    certainty: float | None = Field(
        default=None, ge=0, le=100, description="How sure the participant is, 0 to 100; none: it was not asked."
    )
    stance: Stance = Field(default="", description="hold, partly or concede; empty: it was not asked.")
    position: str = Field(default="", description="The participant's view, in its own words; empty: it was not asked.")
    agreement: float | None = Field(
        default=None, ge=0, le=1, description="Agreement with where the group stands, 0 to 1; none: it was not asked."
    )
    objection: str = Field(default="", description="What still stands against it; empty: nothing.")
    moved_by: str = Field(default="", description="Whose statement changed the view; empty: it did not change.")


def declared_after(positions: Sequence[Position]) -> list[dict[str, Position]]:
    """The participants' answers by the moments they were asked at, the first one first; who gave none is missing."""
    found: dict[int, dict[str, Position]] = {}
    for one in positions:
        if one.answer and one.who != SYNTHESIZER:
            found.setdefault(one.turn, {})[one.who] = one
    return [found[turn] for turn in sorted(found)]


def final_positions(positions: Sequence[Position]) -> dict[str, Position]:
    """What each participant held when last asked; empty where nobody was asked after the talk had begun."""
    last = declared_after(positions)[-1:]
    return last[0] if last and all(one.when != "before" for one in last[0].values()) else {}


def moved_between(before: Position, after: Position, question: Question) -> bool:
    """Whether a participant's answer changed; a number within the tolerance is the same one."""
    return not question.alike(before.answer, after.answer)


def unmoved(
    before: Mapping[str, Position], after: Mapping[str, Position], question: Question, seats: Collection[str]
) -> bool:
    """Whether all of `seats` answered both times, no answer changed, and no certainty by more than `QUIET`."""
    if not set(seats) == before.keys() == after.keys():
        return False
    return not any(
        moved_between(one, after[who], question) or abs((after[who].certainty or 0) - (one.certainty or 0)) > QUIET
        for who, one in before.items()
    )
