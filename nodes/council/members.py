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
    generic = load_profiles("consensus", settings.language)[GENERIC_PROFILE]
    council = list(participants) or [
        Participant(name=profile.role.capitalize(), persona=profile.text) for profile in generic
    ]
    member_names = [member.name for member in council]
    if len(council) < MIN_MEMBERS:
        raise InputError("participants", member_names, "a council has two members or more")
    settings.check_seats(member_names)
    if unknown := sorted(set(personas) - set(member_names)):
        raise InputError("personas", unknown, f"personas go by member: {', '.join(member_names)}")
    return [
        member.model_copy(update={"persona": personas.get(member.name) or member.persona}) for member in council
    ], []
