"""Drafts of a group's shared position, and the participants' answers to them."""

from collections.abc import Sequence

from pydantic import Field

from ..frozen import FrozenModel


class Draft(FrozenModel):
    """Draft of the shared position, on the public record."""

    number: int = Field(ge=1, description="Number of the draft, from 1.")
    round: int = Field(ge=1, description="Round before the draft.")
    sentence: str = Field(description="Shared position, at most two sentences, for the participants to accept.")


class Confirmation(FrozenModel):
    """Answer of a participant to a draft."""

    draft: int = Field(ge=1, description="Number of the draft.")
    round: int = Field(ge=1, description="Round before the question.")
    who: str = Field(description="Participant that was asked.")
    accepts: bool = Field(description="Whether the participant accepts the draft; a missing answer does not.")
    reason: str = Field(default="", description="Objection in the participant's own words; empty: no objection.")
    fault: str = Field(default="", description="Reason for a missing answer; empty: the participant answered.")


def find_round_draft(drafts: Sequence[Draft], round: int) -> Draft | None:
    """Return the draft written after this round, or `None`."""
    return drafts[-1] if drafts and drafts[-1].round == round else None


def is_share_reached(count: int, seats: int, share: float) -> bool:
    """Return whether `count` is at least `share` of `seats`. With a share of 1, all seats are required."""
    return bool(seats) and count >= share * seats - 1e-9
