"""Checks of the participants' names, and their personas."""

from collections.abc import Iterable, Mapping, Sequence

from langgraph.config import get_config

from ..prompts import Persona, get_term, load_profiles
from ..state import MAX_PARTICIPANTS, InputError, Participant, Settings, find_name_fault, list_names
from ..storage import CHECKPOINTER_KEY


def get_profile(protocol: str, profile: str, language: str) -> list[Persona]:
    """Return the personas of a protocol's profile, in seat order.

    Raises `InputError` for an unknown profile.
    """
    personas_by_profile = load_profiles(protocol, language)
    if profile not in personas_by_profile:
        raise InputError("profile", profile, f"choose one of {', '.join(sorted(personas_by_profile))}")
    return personas_by_profile[profile]


def with_other_profile(
    participants: Sequence[Participant], before: Iterable[Persona], after: Iterable[Persona]
) -> list[Participant]:
    """Return the participants with the personas and roles of another profile.

    `before`, `after`: personas of the old and the new profile, in seat order. Personas and roles that a user wrote stay
    the same.
    """
    return [
        participant.model_copy(
            update={
                "persona": new_seat.text if participant.persona == old_seat.text else participant.persona,
                "role": new_seat.role if participant.role == old_seat.role else participant.role,
            }
        )
        for participant, old_seat, new_seat in zip(participants, before, after, strict=False)
    ]


def format_persona_note(name: str, profile: str, settings: Settings) -> str:
    """Return a note that the profile gave `name`, a participant or a side, its persona.

    The note is for a run in which another participant has a persona of its own.
    """
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
    """Check that every key of `personas` is in `names`. Raises `InputError`.

    `noun`: word for a key in the error.
    """
    if unknown_names := sorted(set(personas) - set(names)):
        raise InputError("personas", unknown_names, f"give the personas by {noun}: {', '.join(names)}")


def with_personas(participants: Sequence[Participant], personas: Mapping[str, str]) -> list[Participant]:
    """Return the participants with `personas`, by name, in place of their own.

    A participant with an empty entry, or without one, keeps its persona.
    """
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
            "checkpointer",
            None,
            "the run must be saved while it waits for people or programs; compile the graph with a checkpointer",
        )


def seat_as_listed(
    participants: Sequence[Participant], personas: dict[str, str], settings: Settings
) -> tuple[list[Participant], list[str]]:
    """Seat exactly the listed participants. `personas`: replacements for their own personas, by name.

    Raises `InputError` for an empty list and for unusable names.
    """
    check_names(participants)
    if not participants:
        raise InputError("participants", [], "name at least one participant")
    return with_personas(participants, personas), []


def seat_with_default_names(
    participants: Sequence[Participant], personas: dict[str, str], default_names: Sequence[str]
) -> list[Participant]:
    """Seat the listed participants or, without any, one for each default name.

    `personas`: personas by name, in place of the participants' own. Raises `InputError` for unusable names, personas
    for unknown names, and fewer than two participants.
    """
    check_names(participants)
    seated_participants = list(participants) or [Participant(name=name) for name in default_names]
    if len(seated_participants) < 2:
        raise InputError(
            "participants",
            list_names(seated_participants),
            "this protocol needs two participants or more; name another",
        )
    check_personas(personas, list_names(seated_participants))
    return [
        participant.model_copy(update={"persona": (personas.get(participant.name) or participant.persona).strip()})
        for participant in seated_participants
    ]
