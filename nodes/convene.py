"""The first step: check the input, settle the rules, seat the participants, fill every channel once."""

import secrets
from collections.abc import Callable, Sequence
from typing import Any

from langgraph.runtime import get_runtime

from ..prompts import LANGUAGES, Catalogue
from ..state.budget import check_budget
from ..state.deliberation import Opening
from ..state.fence import storable
from ..state.incident import Incident
from ..state.refusal import Refused
from ..state.rules import Rules
from ..state.statement import Participant, check_kinds
from ..state.window import Summary
from ..state.writes import Update
from .cast import ROLES
from .clock import stamp
from .embedding_spec import meaning
from .models import check_spec
from .spec import found_spec

Cast = Callable[[Sequence[Participant], dict[str, str], Rules], tuple[list[Participant], list[str]]]
"""Who sits where: (given participants, given personas, rules) → (participants, warnings); raises `Refused`."""

MATERIAL_LIMIT = 2_000_000


def convene(
    rules_class: type[Rules], cast: Cast, words: Catalogue, opening: type = Opening
) -> Callable[[Opening], object]:
    """The first step of a protocol with the knobs of `rules_class`, whose seats `cast` fills.

    `opening` is the group of channels it reads; what is deliberated is the `query` in it, or else the topic.
    """
    about = "query" if "query" in opening.__annotations__ else "topic"

    async def convene(state: Any) -> Update:
        """Check the input, settle the rules, seat the participants.

        Reads topic or query, material, participants, personas, and history to know a used thread; writes every channel.
        """
        _check_given(state, about)
        rules = await settle(rules_class, words)
        participants, warnings = cast(state["participants"], state["personas"], rules)
        check_kinds(participants, rules.hears)
        check_models(rules, participants)
        if not rules.direct:
            check_budget(rules)
        return filled(participants, rules) | Update(
            topic=storable(state[about].strip()),
            material=storable(state["material"]),
            incidents=[noted(what) for what in [*_language_notes(rules, participants), *warnings]],
            verdict=None,
            judged=0,
        )

    convene.__annotations__["state"] = opening
    return convene


def _check_given(state: Any, about: str) -> None:
    if state["history"]:
        raise Refused("input", state[about], "this thread already holds a deliberation; use a new thread")
    check_text(about, state[about], 4000)
    check_text("material", state["material"], MATERIAL_LIMIT, blank=True)


def filled(participants: list[Participant], rules: Rules) -> Update:
    """The channels every protocol has, filled once: nobody has spoken yet."""
    return Update(
        topic="",
        material="",
        exhibits=[],
        participants=participants,
        rules=rules,
        floor=[],
        round=0,
        turn=0,
        view_limits={},
        history=[],
        calls=[],
        incidents=[],
        memory={one.name: [] for one in participants},
        summary=Summary(),
        outcome=None,
        synthesis="",
    )


async def settle(rules_class: type[Rules], words: Catalogue) -> Rules:
    """The run's rules: the caller's context or the defaults, with the model found and the seed drawn."""
    context = get_runtime().context
    if isinstance(context, dict):
        context = rules_class.model_validate(context)
    settled = (context if isinstance(context, rules_class) else rules_class()).settled()
    return settled.settled(
        templates=words.check(settled.templates),
        model=settled.model or await found_spec(),
        seed=secrets.randbelow(2**31) if settled.seed is None else settled.seed,
        **meaning(settled),
    )


def check_text(key: str, text: str, limit: int, *, blank: bool = False) -> None:
    """Refuse text that is blank or longer than `limit` characters."""
    if not blank and not text.strip():
        raise Refused(key, text, "give a text that is not blank")
    if len(text) > limit:
        raise Refused(key, text, f"give at most {limit:,} characters; this has {len(text):,}")


def check_models(rules: Rules, participants: Sequence[Participant]) -> None:
    """Refuse a model for nobody, a spec that names nothing and a measure without its model, before any call."""
    meaning(rules)
    known = [*(one.name for one in participants), *ROLES]
    for who, spec in rules.models.items():
        if who not in known:
            raise Refused(f"models.{who}", spec, f"nobody has this name; there are {', '.join(known)}")
    named = {one.model for one in participants} | set(rules.models.values()) | {rules.model}
    for spec in sorted(str(spec) for spec in named if spec):
        if not spec.startswith("object:"):
            check_spec(spec)


def noted(what: str) -> Incident:
    """An incident of the opening: something filled in or fallen back on."""
    return Incident(where="convene", what=what, kind="note", tries=0, at=stamp(), category="logic")


def _language_notes(rules: Rules, participants: Sequence[Participant]) -> list[str]:
    tags = dict.fromkeys([rules.language, *(one.language for one in participants if one.kind == "model")])
    lacking = [tag for tag in tags if tag and tag.split("-")[0].lower() not in LANGUAGES]
    return [f"no templates in {tag}: English templates are used, and replies are asked for in {tag}" for tag in lacking]
