"""Who sits where in a group that looks for common ground, and with which persona."""

from collections.abc import Sequence

from ..prompts import Persona, profiles
from ..state.consensus import ConsensusRules
from ..state.refusal import Refused
from ..state.rules import Rules
from ..state.statement import Participant
from .cast import check_names, drawn_for

GENERIC = "generic"
"""The profile of a group for which none is named."""

LEAST_GROUP = 3
"""Fewest participants of a dialogue that looks for consensus."""


def group(given: Sequence[Participant], personas: dict[str, str], rules: Rules) -> tuple[list[Participant], list[str]]:
    """The seats of a group: personas by name first, then the participant's own, then the profile's roles in turn."""
    check_names(given)
    assert isinstance(rules, ConsensusRules)
    known = profiles("consensus", rules.language)
    if rules.profile and rules.profile not in known:
        raise Refused("profile", rules.profile, f"choose one of {', '.join(sorted(known))}")
    seats = known[rules.profile or GENERIC]
    people = list(given) or [Participant(name=persona.role.capitalize()) for persona in seats]
    if len(people) < LEAST_GROUP:
        raise Refused("participants", [one.name for one in people], "consensus takes three or more; for two: debate")
    if unknown := sorted(set(personas) - {one.name for one in people}):
        raise Refused("personas", unknown, f"personas go by participant: {', '.join(one.name for one in people)}")
    if rules.max_turns is not None and rules.max_turns < len(people):
        raise Refused("max_turns", rules.max_turns, f"give at least one turn each: {len(people)}")
    return _seated(people, personas, seats, rules)


def _seated(
    people: Sequence[Participant], personas: dict[str, str], seats: Sequence[Persona], rules: ConsensusRules
) -> tuple[list[Participant], list[str]]:
    cast, warnings = [], []
    some_custom = any(one.persona or personas.get(one.name) for one in people)
    for seat, one in enumerate(people):
        own, drawn = (personas.get(one.name) or one.persona).strip(), seats[seat % len(seats)]
        if not own and some_custom:
            warnings.append(drawn_for(one.name, rules.profile or GENERIC, rules))
        role = one.role or ("" if own else drawn.role)
        cast.append(one.model_copy(update={"persona": own or drawn.text, "role": role}))
    return cast, warnings
