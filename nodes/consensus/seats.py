"""Seats of a group that seeks consensus."""

from collections.abc import Sequence
from itertools import cycle

from ...state import InputError, Participant, ProfileSettings, Settings, list_names
from ..seats import check_names, check_personas, format_persona_note, get_profile, with_other_profile

GENERIC_PROFILE = "generic"


def seat_group(
    participants: Sequence[Participant], personas: dict[str, str], settings: ProfileSettings
) -> tuple[list[Participant], list[str]]:
    """Seat a group. Return its participants, and warnings about personas from the profile.

    The first persona found counts: in `personas`, at the participant, or in the profile. A person gets none from the
    profile. Raises `InputError` for unusable names, fewer than three participants, a persona without a participant, or
    too few turns.
    """
    check_names(participants)
    profile = settings.profile or GENERIC_PROFILE
    seats = get_profile("consensus", profile, settings.language)
    seated_participants = list(participants) or [Participant(name=persona.role.capitalize()) for persona in seats]
    if len(seated_participants) < 3:
        raise InputError(
            "participants",
            list_names(seated_participants),
            "a consensus needs three participants or more; with two, use a debate",
        )
    check_personas(personas, list_names(seated_participants))
    if settings.max_turns is not None and settings.max_turns < len(seated_participants):
        raise InputError("max_turns", settings.max_turns, f"give at least one turn each: {len(seated_participants)}")
    group, warnings = [], []
    has_custom = any(participant.persona or personas.get(participant.name) for participant in seated_participants)
    for participant, persona in zip(seated_participants, cycle(seats), strict=False):
        own_text = (personas.get(participant.name) or participant.persona).strip()
        is_own = bool(own_text) or participant.kind == "person"
        if not is_own and has_custom:
            warnings.append(format_persona_note(participant.name, profile, settings))
        role = participant.role or ("" if is_own else persona.role)
        text = own_text if is_own else persona.text
        group.append(participant.model_copy(update={"persona": text, "role": role}))
    return group, warnings


def replace_group_personas(after: Settings, before: Settings, participants: list[Participant]) -> list[Participant]:
    """Return the participants with their personas and roles from the profile in the settings `after`.

    They replace those of the profile in `before`. Raises `InputError` for an unknown profile.
    """
    assert isinstance(before, ProfileSettings)
    assert isinstance(after, ProfileSettings)
    seats = (
        cycle(get_profile("consensus", settings.profile or GENERIC_PROFILE, before.language))
        for settings in (before, after)
    )
    return with_other_profile(participants, *seats)
