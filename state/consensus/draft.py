"""Drafts of a group's shared position, and the participants' answers to them."""

from collections.abc import Sequence

from pydantic import Field

from ..frozen import FrozenModel


class Draft(FrozenModel):
    """Draft of the shared position, on the public record."""

    number: int = Field(ge=1, description="Number of the draft, from 1.")
    round: int = Field(ge=1, description="The round after which it was written.")
    sentence: str = Field(description="What everyone is asked to accept, at most two sentences.")


class Confirmation(FrozenModel):
    """Answer of a participant to a draft."""

    draft: int = Field(ge=1, description="Number of the draft.")
    round: int = Field(ge=1, description="The round after which it was asked.")
    who: str = Field(description="The participant.")
    accepts: bool = Field(description="Whether it accepts the sentence; a missing answer accepts nothing.")
    reason: str = Field(default="", description="Its objection in its own words; empty: none.")
    fault: str = Field(default="", description="Why there is no answer; empty: there is one.")


def get_round_draft(drafts: Sequence[Draft], round: int) -> Draft | None:
    """Return the draft written after this round, or `None`."""
    return drafts[-1] if drafts and drafts[-1].round == round else None


def has_share(count: int, seats: int, share: float) -> bool:
    """Return whether `count` is at least `share` of `seats`. A share of 1 means all."""
    return bool(seats) and count >= share * seats - 1e-9
