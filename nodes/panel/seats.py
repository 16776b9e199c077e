"""Seats of a panel's experts, with their personas."""

import os
from collections.abc import Sequence

from ...prompts import Persona, get_term, load_profiles
from ...state import InputError, Participant, Settings, fold_name
from ..seats import check_names, check_personas


def seat_experts(
    participants: Sequence[Participant], personas: dict[str, str], settings: Settings
) -> tuple[list[Participant], list[str]]:
    """Seat the experts of a panel: the listed ones or, if no model is listed, also the default experts.

    The variable `DEFAULT_SELECTED_AGENTS` names the default experts; without it, they are all built-in experts.
    Built-in experts come before others. A listed person or program with the name of a default expert takes that
    expert's seat. Return the experts with their personas, and an empty list. Raises `InputError` for an unusable name,
    and for a model without a role or persona.
    """
    known_personas = {persona.seat: persona for persona in load_profiles("panel", settings.language)["experts"]}
    selected_experts = list(participants)
    if not any(participant.kind == "model" for participant in participants):
        seated_names = {fold_name(participant.name) for participant in participants}
        default_experts = _list_selected_experts(list(known_personas))
        selected_experts[:0] = [expert for expert in default_experts if fold_name(expert.name) not in seated_names]
    check_names(selected_experts)
    participant_by_name = {fold_name(participant.name): participant for participant in selected_experts}
    seats = [
        (name, participant_by_name.pop(fold_name(name)))
        for name in known_personas
        if fold_name(name) in participant_by_name
    ]
    seats += [(participant.name, participant) for participant in participant_by_name.values()]
    check_personas(personas, [name for name, _ in seats], "expert")
    seated_experts = []
    for name, participant in seats:
        persona = known_personas.get(
            name,
            Persona(
                participant.name,
                participant.role,
                get_term(settings.language, "panel", "described", role=participant.role) if participant.role else "",
            ),
        )
        text = personas.get(name) or participant.persona or (persona.text if participant.kind != "person" else "")
        if participant.kind == "model" and not text:
            raise InputError(
                "participants",
                name,
                f"give this expert a role or persona, or choose one of: {', '.join(known_personas)}",
            )
        update = {"name": name, "role": participant.role or persona.role, "persona": text}
        seated_experts.append(participant.model_copy(update=update))
    return seated_experts, []


def _list_selected_experts(experts: list[str]) -> list[Participant]:
    selected_names = [name.strip() for name in os.environ.get("DEFAULT_SELECTED_AGENTS", "").split(",") if name.strip()]
    folded_names = {fold_name(name) for name in experts}
    if unknown_names := [name for name in selected_names if fold_name(name) not in folded_names]:
        raise InputError("DEFAULT_SELECTED_AGENTS", unknown_names[0], f"choose from {', '.join(experts)}")
    return [Participant(name=name) for name in selected_names or experts]
