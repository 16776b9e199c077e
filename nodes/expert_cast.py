"""Who sits on a panel, and with which expertise."""

import os
from collections.abc import Sequence

from ..prompts import Persona, profiles, term
from ..state.refusal import Refused
from ..state.rules import Rules
from ..state.statement import Participant
from .cast import check_names


def experts(
    given: Sequence[Participant], personas: dict[str, str], rules: Rules
) -> tuple[list[Participant], list[str]]:
    """The experts of a panel: those named, else DEFAULT_SELECTED_AGENTS, else all; custom ones after the known ones."""
    known = {persona.seat: persona for persona in profiles("panel", rules.language)["experts"]}
    chosen = list(given) or _selected(list(known))
    check_names(chosen)
    named = {_folded(one.name): one for one in chosen}
    seats = [(name, named.pop(_folded(name))) for name in known if _folded(name) in named]
    seats += [(one.name, one) for one in named.values()]
    if unknown := sorted(set(personas) - {name for name, _ in seats}):
        raise Refused("personas", unknown, f"personas go by expert: {', '.join(name for name, _ in seats)}")
    cast = [_expert(one, known.get(name, custom(one, rules.language)), name) for name, one in seats]
    cast = [one.model_copy(update={"persona": personas.get(one.name) or one.persona}) for one in cast]
    if lacking := [one.name for one in cast if not one.persona]:
        raise Refused("participants", lacking[0], f"describe it by role or persona, or choose: {', '.join(known)}")
    return cast, []


def custom(one: Participant, language: str) -> Persona:
    """The seat of an expert who is described by a role alone; the persona is empty where there is none."""
    return Persona(one.name, one.role, term(language, "panel", "described", role=one.role) if one.role else "")


def _expert(one: Participant, drawn: Persona, name: str) -> Participant:
    return one.model_copy(update={"name": name, "role": one.role or drawn.role, "persona": one.persona or drawn.text})


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


def _selected(known: list[str]) -> list[Participant]:
    named = [name.strip() for name in os.environ.get("DEFAULT_SELECTED_AGENTS", "").split(",") if name.strip()]
    folded = {_folded(name) for name in known}
    if unknown := [name for name in named if _folded(name) not in folded]:
        raise Refused("DEFAULT_SELECTED_AGENTS", unknown[0], f"choose from {', '.join(known)}")
    return [Participant(name=name) for name in named or known]
