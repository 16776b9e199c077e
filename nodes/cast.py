"""Who sits where in a debate, and with which persona; whose names can stand side by side."""

from collections.abc import Sequence

from ..prompts import profiles, term
from ..state.debate import DebateRules
from ..state.memory import EVERYONE
from ..state.refusal import Refused
from ..state.rules import Rules
from ..state.statement import MODERATOR, Participant

SIDES = ("pro", "con")


def two_sides(
    given: Sequence[Participant], personas: dict[str, str], rules: Rules
) -> tuple[list[Participant], list[str]]:
    """The two seats of a debate; custom personas come first, then the profile. Warnings say what was filled in."""
    check_names(given)
    if given and len(given) != 2:
        raise Refused("participants", [one.name for one in given], "a debate has exactly two, first for, then against")
    if unknown := sorted(set(personas) - set(SIDES)):
        raise Refused("personas", unknown, "a debate has personas for pro and con")
    assert isinstance(rules, DebateRules)
    known = profiles("debate", rules.language)
    if rules.profile not in known:
        raise Refused("profile", rules.profile, f"choose one of {', '.join(sorted(known))}")
    seats = {persona.seat: persona for persona in known[rules.profile]}
    cast, custom = [], {side: personas.get(side, "").strip() for side in SIDES}
    for side, one in zip(SIDES, given or [Participant(name="PRO"), Participant(name="CON")], strict=True):
        own = custom[side] or one.persona.strip()
        stance = term(rules.language, "debate", f"{side}_public")
        role = stance if own else term(rules.language, "debate", "with_role", side=stance, role=seats[side].role)
        if one.role:
            role = term(rules.language, "debate", "with_role", side=stance, role=one.role)
        update = {"side": side, "persona": own or seats[side].text, "role": role}
        cast.append(one.model_copy(update=update))
    warnings = [drawn_for(side, rules.profile, rules) for side in SIDES if any(custom.values()) and not custom[side]]
    if cast[0].persona == cast[1].persona:
        warnings.append(term(rules.language, "noted", "one_persona"))
    return cast, warnings


def drawn_for(name: str, profile: str, rules: Rules) -> str:
    """What the record says of a participant whose persona was filled in while others' were given."""
    return term(rules.language, "noted", "persona_drawn", name=name, profile=profile)


ROLES = ("synthesizer", "judge", "summarizer")
"""Who is asked without taking part."""
RESERVED = (*ROLES, MODERATOR, EVERYONE)
"""Names that stand for somebody else: a role that a model is named for, the protocol itself, everyone."""


def check_names(given: Sequence[Participant]) -> None:
    """Refuse blank or repeated names, and those of roles."""
    seen: set[str] = set()
    for one in given:
        folded = " ".join(one.name.split()).casefold()
        if not folded:
            raise Refused("participants", one.name, "a name must not be blank")
        if folded in RESERVED:
            raise Refused("participants", one.name, "this is the name of a role; choose another")
        if folded in seen:
            raise Refused("participants", one.name, "names must differ")
        seen.add(folded)
