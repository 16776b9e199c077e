"""Seats of a council and its chairman."""

from collections.abc import Sequence

from ...prompts import load_profiles
from ...state import InputError, Participant
from ...state.council import CouncilSettings
from ..consensus.seats import GENERIC_PROFILE
from ..seats import check_names, check_personas, with_personas


def seat_members(
    participants: Sequence[Participant], personas: dict[str, str], settings: CouncilSettings
) -> tuple[list[Participant], list[str]]:
    """Return the listed participants or, without a list, one member for each generic persona.

    The list of warnings is always empty. Raises `InputError` for fewer than two members, an unusable name or
    chairman, or a persona without a member.
    """
    check_names(participants)
    members = list(participants) or [
        Participant(name=persona.role.capitalize(), persona=persona.text)
        for persona in load_profiles("consensus", settings.language)[GENERIC_PROFILE]
    ]
    member_names = [member.name for member in members]
    if len(members) < 2:
        raise InputError("participants", member_names, "a council needs two members or more")
    settings.check_seats(member_names)
    check_personas(personas, member_names, "member")
    return with_personas(members, personas), []
