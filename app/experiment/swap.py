"""The same run the other way round: the sides' models and personas exchanged, the seats or the options reversed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...nodes.models.spec import spec_for
from ...nodes.seats import GENERIC, SIDES, two_sides
from ...prompts import profiles
from ...state.refused import Refused
from ...state.rules import ProfileRules
from ...state.statement import Participant
from ..request import Request


def swapped(given: Request, swap: Sequence[str]) -> Request:
    """A request with all that is named the other way round; raises `Refused` where its protocol has no such thing."""
    for one in swap:
        given = _SWAPS[one](given)
    return given


def _sides(given: Request) -> Request:
    rules = given.rules
    if given.protocol.name != "debate" or not isinstance(rules, ProfileRules):
        raise Refused("swap", "sides", f"{given.protocol.name} has no sides; only a debate has")
    people = _people(given) or [Participant(name=side.upper()) for side in SIDES]
    seated, _ = two_sides(people, given.input.get("personas") or {}, rules)
    roles = [
        one.role or _drawn_role(rules, here, seat.persona)
        for one, here, seat in zip(people, SIDES, seated, strict=True)
    ]
    models = [spec_for(rules, one.name, one.model) for one in people]
    turned = [
        one.model_copy(
            update={"persona": seated[1 - place].persona, "role": roles[1 - place], "model": models[1 - place]}
        )
        for place, one in enumerate(people)
    ]
    return _with(given, {"participants": turned, "personas": {}}, [one.name for one in people])


def _drawn_role(rules: ProfileRules, side: str, persona: str) -> str:
    """The role a profile gives with its persona; a persona of one's own has none."""
    drawn = next(one for one in profiles("debate", rules.language)[rules.profile] if one.seat == side)
    return drawn.role if persona == drawn.text else ""


def _order(given: Request) -> Request:
    if given.protocol.name not in ("consensus", "discussion"):
        raise Refused("swap", "order", f"the seats of {given.protocol.name} have an order of their own; leave it out")
    people = _people(given)
    if not people and isinstance(given.rules, ProfileRules):
        seats = profiles("consensus", given.rules.language)[given.rules.profile or GENERIC]
        people = [Participant(name=one.role.capitalize(), role=one.role, persona=one.text) for one in seats]
    return _with(given, {"participants": _persona_kept(given, people)[::-1]}, [])


def _persona_kept(given: Request, people: Sequence[Participant]) -> list[Participant]:
    """The participants with the personas and roles that a profile gives by seat, so that these move with them."""
    if not isinstance(given.rules, ProfileRules):
        return list(people)
    seats = profiles("consensus", given.rules.language)[given.rules.profile or GENERIC]
    own: Mapping[str, str] = given.input.get("personas") or {}
    kept = []
    for place, one in enumerate(people):
        drawn, persona = seats[place % len(seats)], own.get(one.name) or one.persona
        update = {} if persona else {"persona": drawn.text, "role": one.role or drawn.role}
        kept.append(one.model_copy(update=update))
    return kept


def _options(given: Request) -> Request:
    options = getattr(given.rules, "options", None)
    if not options:
        raise Refused("swap", "options", f"there are no options in this {given.protocol.name} to reverse; leave it out")
    return replace(given, rules=given.rules.settled(options=dict(reversed(options.items()))))


def _people(given: Request) -> list[Participant]:
    return [Participant.model_validate(one) for one in given.input.get("participants") or []]


def _with(given: Request, input: dict[str, Any], unnamed: Sequence[str]) -> Request:
    """The request with other input, and without models by the names of some."""
    models = {name: spec for name, spec in given.rules.models.items() if name not in unnamed}
    return replace(given, rules=given.rules.settled(models=models), input=given.input | input)


_SWAPS: dict[str, Callable[[Request], Request]] = {"sides": _sides, "order": _order, "options": _options}
