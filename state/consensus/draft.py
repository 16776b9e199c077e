"""Drafts of a group's shared position, the answers to them, and the open objections."""

from collections.abc import Sequence

from pydantic import Field

from ..frozen_models import FrozenModel
from ..positions.position import Position


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
    accepts: bool = Field(description="Whether the participant accepts the draft; false without an answer.")
    reason: str = Field(default="", description="Objection in the participant's own words; empty: no objection.")
    fault: str = Field(default="", description="Reason for a missing answer; empty: the participant answered.")


def find_round_draft(drafts: Sequence[Draft], round: int) -> Draft | None:
    """Return the draft written after this round, or `None`."""
    return drafts[-1] if drafts and drafts[-1].round == round else None


def is_share_reached(count: int, seats: int, share: float) -> bool:
    """Return whether `count` is at least `share` of `seats`. With a share of 1, all seats are required."""
    return bool(seats) and count >= share * seats - 1e-9


class Objection(FrozenModel):
    """Objection of a participant, in its own words."""

    number: int = Field(ge=1, description="Number of the objection, counted over the run.")
    who: str = Field(description="Participant that objects.")
    text: str = Field(description="Objection in the participant's own words.")


def map_open_objections(
    positions: Sequence[Position], confirmations: Sequence[Confirmation]
) -> dict[int, list[Objection]]:
    """Map rounds to the objections that were open after them.

    The rounds are those with declarations or with answers to a draft. An objection stays open while its participant
    confirms it or says nothing. In a run without declarations, an objection to a draft stays open for one round.
    """
    declarations = [position for position in positions if position.agreement is not None]
    raised_objections: list[Objection] = []
    open_objections: list[Objection] = []
    objections_by_round: dict[int, list[Objection]] = {}
    rounds = {position.round for position in declarations} | {answer.round for answer in confirmations}
    for round in sorted(rounds):
        round_declarations = [position for position in declarations if position.round == round]
        texts = [(position.who, position.objection.strip()) for position in round_declarations]
        texts += [(answer.who, answer.reason.strip()) for answer in confirmations if answer.round == round]
        confirmed_numbers = {number for position in round_declarations for number in position.standing}
        holders = {position.who for position in round_declarations}
        open_objections = [
            objection
            for objection in open_objections
            if objection.number in confirmed_numbers
            or (declarations and objection.who not in holders)
            or (objection.who, objection.text) in texts
        ]
        known_texts = [(objection.who, objection.text) for objection in open_objections]
        for participant_name, text in texts:
            if text and (participant_name, text) not in known_texts:
                raised_objections.append(Objection(number=len(raised_objections) + 1, who=participant_name, text=text))
                open_objections = [*open_objections, raised_objections[-1]]
        objections_by_round[round] = open_objections
    return objections_by_round


def list_open_objections(
    positions: Sequence[Position], confirmations: Sequence[Confirmation], round: int
) -> list[Objection]:
    """List the objections that are open after this round."""
    objections_by_round = map_open_objections(positions, confirmations)
    has_declarations = any(position.agreement is not None for position in positions)
    last_round = max((number for number in objections_by_round if number <= round), default=0)
    return objections_by_round.get(last_round if has_declarations else round, [])


def list_held_objections(position: Position, open_objections: Sequence[Objection]) -> list[str]:
    """Return the texts of the objections that a declaration supports: the confirmed ones, then a new one.

    `open_objections`: objections that the declaration could confirm.
    """
    texts = [objection.text for objection in open_objections if objection.number in position.standing]
    new_text = position.objection.strip()
    return [*texts, *([new_text] if new_text and new_text not in texts else [])]
