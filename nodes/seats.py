"""Seats of the participants with their personas, and checks of their names."""

from collections.abc import Mapping, Sequence

from langgraph.config import get_config

from ..prompts import Persona, get_term, load_profiles
from ..state import MAX_PARTICIPANTS, InputError, Participant, ProfileSettings, Settings, find_name_fault, list_names
from ..storage import CHECKPOINTER_KEY

SIDES = ("pro", "con")
GENERIC_PROFILE = "generic"


def seat_two_sides(
    participants: Sequence[Participant], personas: dict[str, str], settings: ProfileSettings
) -> tuple[list[Participant], list[str]]:
    """Seat the two sides of a debate. The profile provides personas for models without one from the user.

    The warnings name the personas that the profile provided.
    """
    check_names(participants)
    if participants and len(participants) != 2:
        raise InputError("participants", list_names(participants), "a debate has exactly two, first for, then against")
    if unknown_sides := sorted(set(personas) - set(SIDES)):
        raise InputError("personas", unknown_sides, "a debate has personas for pro and con")
    persona_sets = load_profiles("debate", settings.language)
    if settings.profile not in persona_sets:
        raise InputError("profile", settings.profile, f"choose one of {', '.join(sorted(persona_sets))}")
    persona_by_side = {persona.seat: persona for persona in persona_sets[settings.profile]}
    seated_participants, custom_texts = [], {side: personas.get(side, "").strip() for side in SIDES}
    for side, participant in zip(
        SIDES, participants or [Participant(name="PRO"), Participant(name="CON")], strict=True
    ):
        own_text = custom_texts[side] or participant.persona.strip()
        has_own_persona = bool(own_text) or participant.kind == "person"
        stance = get_term(settings.language, "debate", f"{side}_public")
        role = (
            stance
            if has_own_persona
            else get_term(settings.language, "debate", "with_role", side=stance, role=persona_by_side[side].role)
        )
        if participant.role:
            role = get_term(settings.language, "debate", "with_role", side=stance, role=participant.role)
        update = {"side": side, "persona": own_text if has_own_persona else persona_by_side[side].text, "role": role}
        seated_participants.append(participant.model_copy(update=update))
    warnings = [
        format_persona_note(side, settings.profile, settings)
        for side, participant in zip(SIDES, seated_participants, strict=True)
        if any(custom_texts.values()) and not custom_texts[side] and participant.kind != "person"
    ]
    if seated_participants[0].persona == seated_participants[1].persona != "":
        warnings.append(get_term(settings.language, "noted", "one_persona"))
    return seated_participants, warnings


def format_persona_note(name: str, profile: str, settings: Settings) -> str:
    """Format the note that a participant got its persona from the profile, although others have their own."""
    return get_term(settings.language, "noted", "persona_drawn", name=name, profile=profile)


def check_names(participants: Sequence[Participant]) -> None:
    """Check the number of participants and their names. Raises `InputError`.

    A name must not be blank, similar to another name, or a reserved word.
    """
    if len(participants) > MAX_PARTICIPANTS:
        raise InputError("participants", len(participants), f"at most {MAX_PARTICIPANTS:,} take part")
    if problem := find_name_fault(list_names(participants)):
        raise InputError("participants", *problem)


def check_personas(personas: Mapping[str, str], names: Sequence[str], noun: str = "participant") -> None:
    """Check that every persona has a known name. Raises `InputError`."""
    if unknown_names := sorted(set(personas) - set(names)):
        raise InputError("personas", unknown_names, f"personas go by {noun}: {', '.join(names)}")


def with_personas(participants: Sequence[Participant], personas: Mapping[str, str]) -> list[Participant]:
    """Return the participants with `personas`, by name, in place of their own."""
    return [
        participant.model_copy(update={"persona": personas.get(participant.name) or participant.persona})
        for participant in participants
    ]


def check_checkpointer(participants: Sequence[Participant]) -> None:
    """Check that a run with people or programs has a checkpointer, without which it cannot wait for them.

    Raises `InputError`.
    """
    if any(participant.kind != "model" for participant in participants) and not get_config()["configurable"].get(
        CHECKPOINTER_KEY
    ):
        raise InputError(
            "checkpointer", None, "people and programs are waited for: compile the graph with a checkpointer"
        )


def seat_as_listed(
    participants: Sequence[Participant], personas: dict[str, str], settings: Settings
) -> tuple[list[Participant], list[str]]:
    """Seat exactly the listed participants. `personas`: replacements for their own personas, by name."""
    check_names(participants)
    if not participants:
        raise InputError("participants", [], "name who is asked")
    return with_personas(participants, personas), []


def seat_with_default_names(
    participants: Sequence[Participant], personas: dict[str, str], default_names: Sequence[str]
) -> list[Participant]:
    """Seat the listed participants, or one for each default name. `personas` are by name.

    Raises `InputError`.
    """
    check_names(participants)
    seated_participants = list(participants) or [Participant(name=name) for name in default_names]
    if len(seated_participants) < 2:
        raise InputError("participants", list_names(seated_participants), "it takes two or more; name another")
    check_personas(personas, list_names(seated_participants))
    return [
        participant.model_copy(update={"persona": (personas.get(participant.name) or participant.persona).strip()})
        for participant in seated_participants
    ]


def seat_group(
    participants: Sequence[Participant], personas: dict[str, str], settings: ProfileSettings
) -> tuple[list[Participant], list[str]]:
    """Seat a group.

    A persona comes from `personas`, from the participant or, for models only, from the profile.
    """
    check_names(participants)
    persona_sets = load_profiles("consensus", settings.language)
    if settings.profile and settings.profile not in persona_sets:
        raise InputError("profile", settings.profile, f"choose one of {', '.join(sorted(persona_sets))}")
    seats = persona_sets[settings.profile or GENERIC_PROFILE]
    seated_participants = list(participants) or [Participant(name=persona.role.capitalize()) for persona in seats]
    if len(seated_participants) < 3:
        raise InputError(
            "participants", list_names(seated_participants), "consensus takes three or more; for two: debate"
        )
    check_personas(personas, list_names(seated_participants))
    if settings.max_turns is not None and settings.max_turns < len(seated_participants):
        raise InputError("max_turns", settings.max_turns, f"give at least one turn each: {len(seated_participants)}")
    group, warnings = [], []
    has_custom = any(participant.persona or personas.get(participant.name) for participant in seated_participants)
    for index, participant in enumerate(seated_participants):
        own_text, persona = (personas.get(participant.name) or participant.persona).strip(), seats[index % len(seats)]
        is_own = bool(own_text) or participant.kind == "person"
        if not is_own and has_custom:
            warnings.append(format_persona_note(participant.name, settings.profile or GENERIC_PROFILE, settings))
        role = participant.role or ("" if is_own else persona.role)
        text = own_text if is_own else persona.text
        group.append(participant.model_copy(update={"persona": text, "role": role}))
    return group, warnings


def with_profile(participants: Sequence[Participant], before: Settings, after: Settings) -> list[Participant]:
    """Return the participants with the personas and roles of another profile. Raises `InputError`.

    Personas that a user wrote stay the same.
    """
    assert isinstance(before, ProfileSettings)
    assert isinstance(after, ProfileSettings)
    persona_sets = load_profiles(
        "debate" if any(participant.side in SIDES for participant in participants) else "consensus", before.language
    )
    if (after.profile or GENERIC_PROFILE) not in persona_sets:
        raise InputError("profile", after.profile, f"choose one of {', '.join(sorted(persona_sets))}")
    old_personas, new_personas = (
        _list_profile_personas(persona_sets[settings.profile or GENERIC_PROFILE], participants)
        for settings in (before, after)
    )
    return [
        _replace_profile(*row, before.language) for row in zip(participants, old_personas, new_personas, strict=True)
    ]


def _list_profile_personas(personas: Sequence[Persona], participants: Sequence[Participant]) -> list[Persona]:
    persona_by_side = {persona.seat: persona for persona in personas}
    return [
        persona_by_side.get(participant.side) or personas[index % len(personas)]
        for index, participant in enumerate(participants)
    ]


def _replace_profile(participant: Participant, before: Persona, after: Persona, language: str) -> Participant:
    def format_role(profile_persona: Persona) -> str:
        if participant.side not in SIDES:
            return profile_persona.role
        return get_term(
            language,
            "debate",
            "with_role",
            side=get_term(language, "debate", f"{participant.side}_public"),
            role=profile_persona.role,
        )

    persona = after.text if participant.persona == before.text else participant.persona
    return participant.model_copy(
        update={
            "persona": persona,
            "role": format_role(after) if participant.role == format_role(before) else participant.role,
        }
    )
