"""Seats of a council and its chairman."""

from collections.abc import Sequence

from ...prompts import load_profiles
from ...state.council import CouncilSettings
from ...state.errors import InputError
from ...state.statement import Participant
from ..seats import GENERIC_PROFILE, check_names

MIN_MEMBERS = 2
"""Fewest members of a council."""


def seat_members(
    participants: Sequence[Participant], personas: dict[str, str], settings: CouncilSettings
) -> tuple[list[Participant], list[str]]:
    """Return the given participants, or one for each generic persona, and no warnings.

    Raises `InputError` for too few members, a persona without a member, or a chairman who is not a member.
    """
    check_names(participants)
    generic_personas = load_profiles("consensus", settings.language)[GENERIC_PROFILE]
    members = list(participants) or [
        Participant(name=persona.role.capitalize(), persona=persona.text) for persona in generic_personas
    ]
    member_names = [member.name for member in members]
    if len(members) < MIN_MEMBERS:
        raise InputError("participants", member_names, "a council has two members or more")
    settings.check_seats(member_names)
    if unknown_names := sorted(set(personas) - set(member_names)):
        raise InputError("personas", unknown_names, f"personas go by member: {', '.join(member_names)}")
    return [
        member.model_copy(update={"persona": personas.get(member.name) or member.persona}) for member in members
    ], []
