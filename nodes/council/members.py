"""Who sits on a council, and who is its chairman."""

from collections.abc import Sequence

from ...prompts import profiles
from ...state.council import CouncilRules
from ...state.refused import Refused
from ...state.statement import Participant
from ..seats import GENERIC, check_names

LEAST = 2
"""Fewest members of a council."""


def members(
    given: Sequence[Participant], personas: dict[str, str], rules: CouncilRules
) -> tuple[list[Participant], list[str]]:
    """Those who were named, else one for each of the generic personas. Raises `Refused` for a chairman who is none."""
    check_names(given)
    generic = profiles("consensus", rules.language)[GENERIC]
    seated = list(given) or [Participant(name=one.role.capitalize(), persona=one.text) for one in generic]
    known = [one.name for one in seated]
    if len(seated) < LEAST:
        raise Refused("participants", known, "a council has two members or more")
    rules.check_seats(known)
    if unknown := sorted(set(personas) - set(known)):
        raise Refused("personas", unknown, f"personas go by member: {', '.join(known)}")
    return [one.model_copy(update={"persona": personas.get(one.name) or one.persona}) for one in seated], []
