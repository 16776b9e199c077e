"""Swapped versions of a run: exchanged models and personas of the sides, reversed seats or reversed options."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...models.spec import choose_spec
from ...nodes.seats import GENERIC_PROFILE, SIDES, seat_two_sides
from ...prompts import load_profiles
from ...state.errors import InputError
from ...state.settings import ProfileSettings
from ...state.statement import Participant
from ..run.request import RunRequest


def swap_request(request: RunRequest, swap: Sequence[str]) -> RunRequest:
    """Return a request with the named elements swapped; raise `InputError` if its protocol lacks one."""
    for name in swap:
        request = _SWAPS[name](request)
    return request


def _swap_sides(request: RunRequest) -> RunRequest:
    settings = request.settings
    if request.protocol.name != "debate" or not isinstance(settings, ProfileSettings):
        raise InputError("swap", "sides", f"{request.protocol.name} has no sides; only a debate has")
    participants = _parse_participants(request) or [Participant(name=side.upper()) for side in SIDES]
    seats, _ = seat_two_sides(participants, request.input.get("personas") or {}, settings)
    roles = [
        participant.role or _get_profile_role(settings, participant_side, seat.persona)
        for participant, participant_side, seat in zip(participants, SIDES, seats, strict=True)
    ]
    models = [choose_spec(settings, participant.name, participant.model) for participant in participants]
    swapped_participants = [
        participant.model_copy(
            update={"persona": seats[1 - index].persona, "role": roles[1 - index], "model": models[1 - index]}
        )
        for index, participant in enumerate(participants)
    ]
    return _replace_input(
        request,
        {"participants": swapped_participants, "personas": {}},
        [participant.name for participant in participants],
    )


def _get_profile_role(settings: ProfileSettings, side: str, persona: str) -> str:
    """Return the profile's role for a side; empty if the persona is not the profile's."""
    profile = next(
        seat_profile
        for seat_profile in load_profiles("debate", settings.language)[settings.profile]
        if seat_profile.seat == side
    )
    return profile.role if persona == profile.text else ""


def _reverse_seats(request: RunRequest) -> RunRequest:
    if request.protocol.name not in ("consensus", "discussion"):
        raise InputError(
            "swap", "order", f"the seats of {request.protocol.name} have an order of their own; leave it out"
        )
    participants = _parse_participants(request)
    if not participants and isinstance(request.settings, ProfileSettings):
        seats = load_profiles("consensus", request.settings.language)[request.settings.profile or GENERIC_PROFILE]
        participants = [
            Participant(name=profile.role.capitalize(), role=profile.role, persona=profile.text) for profile in seats
        ]
    return _replace_input(request, {"participants": _attach_personas(request, participants)[::-1]}, [])


def _attach_personas(request: RunRequest, participants: Sequence[Participant]) -> list[Participant]:
    """Return the participants with the profile's personas and roles, so that a reversal moves both."""
    if not isinstance(request.settings, ProfileSettings):
        return list(participants)
    seats = load_profiles("consensus", request.settings.language)[request.settings.profile or GENERIC_PROFILE]
    personas: Mapping[str, str] = request.input.get("personas") or {}
    participants_with_personas = []
    for index, participant in enumerate(participants):
        profile, persona = seats[index % len(seats)], personas.get(participant.name) or participant.persona
        persona_update = {} if persona else {"persona": profile.text, "role": participant.role or profile.role}
        participants_with_personas.append(participant.model_copy(update=persona_update))
    return participants_with_personas


def _reverse_options(request: RunRequest) -> RunRequest:
    options = getattr(request.settings, "options", None)
    if not options:
        raise InputError(
            "swap", "options", f"there are no options in this {request.protocol.name} to reverse; leave it out"
        )
    return replace(request, settings=request.settings.with_choices(options=dict(reversed(options.items()))))


def _parse_participants(request: RunRequest) -> list[Participant]:
    return [Participant.model_validate(record) for record in request.input.get("participants") or []]


def _replace_input(request: RunRequest, input: dict[str, Any], removed_names: Sequence[str]) -> RunRequest:
    """Return the request with `input` merged in, and without models for `removed_names`."""
    models = {name: spec for name, spec in request.settings.models.items() if name not in removed_names}
    return replace(request, settings=request.settings.with_choices(models=models), input=request.input | input)


_SWAPS: dict[str, Callable[[RunRequest], RunRequest]] = {
    "sides": _swap_sides,
    "order": _reverse_seats,
    "options": _reverse_options,
}
