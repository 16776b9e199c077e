"""Who sits where in a debate, and with which persona; whose names can stand side by side."""

import os
from collections.abc import Sequence

from langgraph.config import get_config

from ..prompts import Persona, profiles, term
from ..state.fence import folded
from ..state.memory import EVERYONE
from ..state.refused import Refused
from ..state.rules import ProfileRules, Rules
from ..state.statement import MODERATOR, MOST, Participant, unfit
from .pregel import CHECKPOINTER

SIDES = ("pro", "con")
GENERIC = "generic"
"""The profile of a group for which none is named."""


def two_sides(
    given: Sequence[Participant], personas: dict[str, str], rules: ProfileRules
) -> tuple[list[Participant], list[str]]:
    """The two seats of a debate; custom personas come first, then the profile. Warnings say what was filled in."""
    check_names(given)
    if given and len(given) != 2:
        raise Refused("participants", [one.name for one in given], "a debate has exactly two, first for, then against")
    if unknown := sorted(set(personas) - set(SIDES)):
        raise Refused("personas", unknown, "a debate has personas for pro and con")
    known = profiles("debate", rules.language)
    if rules.profile not in known:
        raise Refused("profile", rules.profile, f"choose one of {', '.join(sorted(known))}")
    seats = {persona.seat: persona for persona in known[rules.profile]}
    seated, custom = [], {side: personas.get(side, "").strip() for side in SIDES}
    for side, one in zip(SIDES, given or [Participant(name="PRO"), Participant(name="CON")], strict=True):
        own = custom[side] or one.persona.strip()
        stance = term(rules.language, "debate", f"{side}_public")
        role = stance if own else term(rules.language, "debate", "with_role", side=stance, role=seats[side].role)
        if one.role:
            role = term(rules.language, "debate", "with_role", side=stance, role=one.role)
        update = {"side": side, "persona": own or seats[side].text, "role": role}
        seated.append(one.model_copy(update=update))
    warnings = [drawn_for(side, rules.profile, rules) for side in SIDES if any(custom.values()) and not custom[side]]
    if seated[0].persona == seated[1].persona:
        warnings.append(term(rules.language, "noted", "one_persona"))
    return seated, warnings


def drawn_for(name: str, profile: str, rules: Rules) -> str:
    """What the record says of a participant whose persona was filled in while others' were given."""
    return term(rules.language, "noted", "persona_drawn", name=name, profile=profile)


ROLES = ("synthesizer", "judge", "summarizer")
"""Who is asked without taking part."""
RESERVED = (*ROLES, MODERATOR, EVERYONE)
"""Names that stand for somebody else: a role that a model is named for, the protocol itself, everyone."""


def check_names(given: Sequence[Participant]) -> None:
    """Refuse too many participants, blank names, names that look alike, and those of roles."""
    if len(given) > MOST:
        raise Refused("participants", len(given), f"at most {MOST:,} take part")
    if found := unfit([one.name for one in given], RESERVED):
        raise Refused("participants", *found)


def refuse_unsaved(participants: Sequence[Participant]) -> None:
    """Refuse people and programs where nothing is saved: a run that waits for them could not go on."""
    if any(one.kind != "model" for one in participants) and not get_config()["configurable"].get(CHECKPOINTER):
        raise Refused("checkpointer", None, "people and programs are waited for: compile the graph with a checkpointer")


def experts(
    given: Sequence[Participant], personas: dict[str, str], rules: Rules
) -> tuple[list[Participant], list[str]]:
    """The experts of a panel: those named, else DEFAULT_SELECTED_AGENTS, else all; custom ones after the known ones.

    Where people alone are named, they sit beside the others.
    """
    known = {persona.seat: persona for persona in profiles("panel", rules.language)["experts"]}
    chosen = list(given) if any(one.kind == "model" for one in given) else [*_selected(list(known)), *given]
    check_names(chosen)
    named = {folded(one.name): one for one in chosen}
    seats = [(name, named.pop(folded(name))) for name in known if folded(name) in named]
    seats += [(one.name, one) for one in named.values()]
    if unknown := sorted(set(personas) - {name for name, _ in seats}):
        raise Refused("personas", unknown, f"personas go by expert: {', '.join(name for name, _ in seats)}")
    seated = [_expert(one, known.get(name, custom(one, rules.language)), name) for name, one in seats]
    seated = [one.model_copy(update={"persona": personas.get(one.name) or one.persona}) for one in seated]
    if lacking := [one.name for one in seated if one.kind == "model" and not one.persona]:
        raise Refused("participants", lacking[0], f"describe it by role or persona, or choose: {', '.join(known)}")
    return seated, []


def custom(one: Participant, language: str) -> Persona:
    """The seat of an expert who is described by a role alone; the persona is empty where there is none."""
    return Persona(one.name, one.role, term(language, "panel", "described", role=one.role) if one.role else "")


def _expert(one: Participant, drawn: Persona, name: str) -> Participant:
    return one.model_copy(update={"name": name, "role": one.role or drawn.role, "persona": one.persona or drawn.text})


def _selected(known: list[str]) -> list[Participant]:
    named = [name.strip() for name in os.environ.get("DEFAULT_SELECTED_AGENTS", "").split(",") if name.strip()]
    there = {folded(name) for name in known}
    if unknown := [name for name in named if folded(name) not in there]:
        raise Refused("DEFAULT_SELECTED_AGENTS", unknown[0], f"choose from {', '.join(known)}")
    return [Participant(name=name) for name in named or known]


def plain_seats(given: Sequence[Participant], personas: dict[str, str], otherwise: Sequence[str]) -> list[Participant]:
    """Those who were named, else one for each name in `otherwise`, with the personas that are given by name.

    Raises `Refused` for fewer than two, for names that cannot stand side by side, and for a persona of nobody's.
    """
    check_names(given)
    people = list(given) or [Participant(name=name) for name in otherwise]
    if len(people) < 2:
        raise Refused("participants", [one.name for one in people], "it takes two or more; name another")
    if unknown := sorted(set(personas) - {one.name for one in people}):
        raise Refused("personas", unknown, f"personas go by participant: {', '.join(one.name for one in people)}")
    return [one.model_copy(update={"persona": (personas.get(one.name) or one.persona).strip()}) for one in people]


LEAST_GROUP = 3
"""Fewest participants of a dialogue that looks for consensus."""


def group(
    given: Sequence[Participant], personas: dict[str, str], rules: ProfileRules
) -> tuple[list[Participant], list[str]]:
    """The seats of a group: personas by name first, then the participant's own, then the profile's roles in turn."""
    check_names(given)
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
    people: Sequence[Participant], personas: dict[str, str], seats: Sequence[Persona], rules: ProfileRules
) -> tuple[list[Participant], list[str]]:
    seated, warnings = [], []
    some_custom = any(one.persona or personas.get(one.name) for one in people)
    for seat, one in enumerate(people):
        own, drawn = (personas.get(one.name) or one.persona).strip(), seats[seat % len(seats)]
        if not own and some_custom:
            warnings.append(drawn_for(one.name, rules.profile or GENERIC, rules))
        role = one.role or ("" if own else drawn.role)
        seated.append(one.model_copy(update={"persona": own or drawn.text, "role": role}))
    return seated, warnings


def reseated(seated: Sequence[Participant], before: Rules, after: Rules) -> list[Participant]:
    """Those seated, with what its profile gave it replaced by what another profile gives; one's own words stay.

    Raises `Refused` for a profile that is not there.
    """
    assert isinstance(before, ProfileRules)
    assert isinstance(after, ProfileRules)
    known = profiles("debate" if any(one.side in SIDES for one in seated) else "consensus", before.language)
    if (after.profile or GENERIC) not in known:
        raise Refused("profile", after.profile, f"choose one of {', '.join(sorted(known))}")
    old, new = (_places(known[rules.profile or GENERIC], seated) for rules in (before, after))
    return [_redrawn(*three, before.language) for three in zip(seated, old, new, strict=True)]


def _places(drawn: Sequence[Persona], seated: Sequence[Participant]) -> list[Persona]:
    """The persona of a profile for each seat: by side where there are sides, else in turn."""
    sides = {one.seat: one for one in drawn}
    return [sides.get(one.side) or drawn[place % len(drawn)] for place, one in enumerate(seated)]


def _redrawn(one: Participant, old: Persona, new: Persona, language: str) -> Participant:
    def role_of(drawn: Persona) -> str:
        if one.side not in SIDES:
            return drawn.role
        return term(
            language, "debate", "with_role", side=term(language, "debate", f"{one.side}_public"), role=drawn.role
        )

    persona = new.text if one.persona == old.text else one.persona
    return one.model_copy(update={"persona": persona, "role": role_of(new) if one.role == role_of(old) else one.role})
