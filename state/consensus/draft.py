"""Drafts of the common ground, and what each participant answers to them."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from ..frozen import FrozenModel


class Draft(FrozenModel):
    """Draft of the common ground, as public record. It is recorded again once objections to it were told."""

    number: int = Field(ge=1, description="Number of the draft, from 1.")
    round: int = Field(ge=1, description="The round after which it was written.")
    sentence: str = Field(description="What everyone is asked to accept, at most two sentences.")
    event: Literal["proposed", "objected"] = Field(default="proposed", description="The step.")


class Confirmation(FrozenModel):
    """Answer of a participant to a draft."""

    draft: int = Field(ge=1, description="Number of the draft.")
    round: int = Field(ge=1, description="The round after which it was asked.")
    who: str = Field(description="The participant.")
    accepts: bool = Field(description="Whether it accepts the sentence; a missing answer accepts nothing.")
    reason: str = Field(default="", description="Its objection in its own words; empty: none.")
    fault: str = Field(default="", description="Why there is no answer; empty: there is one.")


def get_round_draft(drafts: Sequence[Draft], round: int) -> Draft | None:
    """Return the draft written after this round, at its latest step, or `None`."""
    return drafts[-1] if drafts and drafts[-1].round == round else None


def list_confirmations(confirmations: Sequence[Confirmation], number: int) -> list[Confirmation]:
    """List the answers to one draft, one for each participant: its latest."""
    return list({answer.who: answer for answer in confirmations if answer.draft == number}.values())


def list_accepting(confirmations: Sequence[Confirmation], number: int) -> list[str]:
    """List the participants who accept a draft."""
    return [answer.who for answer in list_confirmations(confirmations, number) if answer.accepts]


def has_share(count: int, seats: int, share: float) -> bool:
    """Return whether `count` of all `seats` are at least `share`; a share of 1 means all."""
    return bool(seats) and count >= share * seats - 1e-9
