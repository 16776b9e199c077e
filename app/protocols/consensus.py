"""Hooks of the consensus dialogue: experiments can reverse its seats."""

from dataclasses import replace

from ...nodes.consensus.seats import GENERIC_PROFILE, replace_group_personas
from ...prompts import load_profiles
from ...state import Participant, ProfileSettings
from ..run.request import RunRequest
from .hooks import TURN_SETTINGS, Hooks


def reverse_seats(request: RunRequest) -> RunRequest:
    """Return the request with the participants in reverse order, with their personas and roles."""
    settings = request.settings
    assert isinstance(settings, ProfileSettings)
    profiles = load_profiles("consensus", settings.language)[settings.profile or GENERIC_PROFILE]
    participants = request.participants or [
        Participant(name=profile.role.capitalize(), role=profile.role, persona=profile.text) for profile in profiles
    ]
    personas = request.input.get("personas") or {}
    for index, participant in enumerate(participants):
        profile = profiles[index % len(profiles)]
        if not (personas.get(participant.name) or participant.persona):
            participants[index] = participant.model_copy(
                update={"persona": profile.text, "role": participant.role or profile.role}
            )
    return replace(request, input=request.input | {"participants": participants[::-1]})


HOOKS = Hooks(
    forked_participants=replace_group_personas,
    tool_settings=(
        *TURN_SETTINGS,
        "profile",
        "max_rounds",
        "turn_order",
        "blind_first_round",
        "convergence",
        "consensus_rule",
        "agreement_threshold",
        "vote",
    ),
    swaps={"order": reverse_seats},
)
