"""Swapped versions of a run: exchanged models and personas of the sides, reversed seats or reversed options."""

from collections.abc import Callable, Sequence
from dataclasses import replace

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
    profiles = {profile.seat: profile for profile in load_profiles("debate", settings.language)[settings.profile]}
    updates = []
    for participant, side, seat in zip(participants, SIDES, seats, strict=True):
        profile_role = profiles[side].role if seat.persona == profiles[side].text else ""
        model = choose_spec(settings, participant.name, participant.model)
        updates.append({"persona": seat.persona, "role": participant.role or profile_role, "model": model})
    swapped = [seat.model_copy(update=update) for seat, update in zip(participants, reversed(updates), strict=True)]
    input, names = {"participants": swapped, "personas": {}}, [participant.name for participant in participants]
    models = {name: spec for name, spec in settings.models.items() if name not in names}
    return replace(request, settings=settings.with_choices(models=models), input=request.input | input)


def _reverse_seats(request: RunRequest) -> RunRequest:
    """Reverse the seats with their personas and roles of the profile, so that both move."""
    settings = request.settings
    if request.protocol.name not in ("consensus", "discussion"):
        remedy = f"the seats of {request.protocol.name} have an order of their own; leave it out"
        raise InputError("swap", "order", remedy)
    participants = _parse_participants(request)
    if isinstance(settings, ProfileSettings):
        profiles = load_profiles("consensus", settings.language)[settings.profile or GENERIC_PROFILE]
        if not participants:
            for profile in profiles:
                name = profile.role.capitalize()
                participants.append(Participant(name=name, role=profile.role, persona=profile.text))
        personas = request.input.get("personas") or {}
        for index, participant in enumerate(participants):
            profile = profiles[index % len(profiles)]
            if not (personas.get(participant.name) or participant.persona):
                update = {"persona": profile.text, "role": participant.role or profile.role}
                participants[index] = participant.model_copy(update=update)
    return replace(request, input=request.input | {"participants": participants[::-1]})


def _reverse_options(request: RunRequest) -> RunRequest:
    options = getattr(request.settings, "options", None)
    if not options:
        remedy = f"there are no options in this {request.protocol.name} to reverse; leave it out"
        raise InputError("swap", "options", remedy)
    return replace(request, settings=request.settings.with_choices(options=dict(reversed(options.items()))))


def _parse_participants(request: RunRequest) -> list[Participant]:
    return [Participant.model_validate(record) for record in request.input.get("participants") or []]


_SWAPS: dict[str, Callable[[RunRequest], RunRequest]] = {
    "sides": _swap_sides,
    "order": _reverse_seats,
    "options": _reverse_options,
}
