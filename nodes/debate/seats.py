"""Participants of a debate: one side for, one against, with personas from the user or the profile."""

from collections.abc import Sequence

from ...prompts import Persona, get_term
from ...state import InputError, Participant, ProfileSettings, Settings, list_names
from ..seats import check_names, format_persona_note, get_profile, with_other_profile

SIDES = ("pro", "con")


def seat_two_sides(
    participants: Sequence[Participant], personas: dict[str, str], settings: ProfileSettings
) -> tuple[list[Participant], list[str]]:
    """Return the two sides of a debate, each with its role and persona, and a list of warnings.

    A side without a persona from the user gets that of the profile. A warning says so if the user gave only the other
    side a persona. Another warning says that both sides have the same persona. Raises `InputError` for any other number
    of participants, and for unusable names or personas.
    """
    check_names(participants)
    if participants and len(participants) != 2:
        raise InputError(
            "participants",
            list_names(participants),
            "must be two names: the first argues for, the second against; name both, or none",
        )
    if unknown_sides := sorted(set(personas) - set(SIDES)):
        raise InputError("personas", unknown_sides, "a debate has personas for pro and con")
    seated_participants, warnings = list[Participant](), list[str]()
    custom_texts = {side: personas.get(side, "").strip() for side in SIDES}
    for side, participant, persona in zip(
        SIDES,
        participants or [Participant(name=side.upper()) for side in SIDES],
        _list_side_personas(settings.profile, settings.language),
        strict=True,
    ):
        own_text, role = custom_texts[side] or participant.persona.strip(), persona.role
        is_own = bool(own_text) or participant.kind == "person"
        if is_own or participant.role:
            role = _format_role(side, participant.role, settings.language)
        if any(custom_texts.values()) and not is_own:
            warnings.append(format_persona_note(side, settings.profile, settings))
        update = {"side": side, "persona": own_text if is_own else persona.text, "role": role}
        seated_participants.append(participant.model_copy(update=update))
    if seated_participants[0].persona == seated_participants[1].persona != "":
        warnings.append(get_term(settings.language, "noted", "one_persona"))
    return seated_participants, warnings


def replace_side_personas(after: Settings, before: Settings, participants: list[Participant]) -> list[Participant]:
    """Return the two sides with the personas and roles of the profile in the settings `after`.

    They replace those of the profile in `before`. Raises `InputError` for an unknown profile.
    """
    assert isinstance(before, ProfileSettings)
    assert isinstance(after, ProfileSettings)
    seats = (_list_side_personas(settings.profile, before.language) for settings in (before, after))
    return with_other_profile(participants, *seats)


def _list_side_personas(profile: str, language: str) -> list[Persona]:
    personas = {persona.seat: persona for persona in get_profile("debate", profile, language)}
    return [personas[side]._replace(role=_format_role(side, personas[side].role, language)) for side in SIDES]


def _format_role(side: str, role: str, language: str) -> str:
    stance = get_term(language, "debate", f"{side}_public")
    return get_term(language, "debate", "with_role", side=stance, role=role) if role else stance
