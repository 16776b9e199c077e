"""The first step: check the input, settle the rules, seat the participants, fill every channel once."""

import secrets
from collections.abc import Callable, Sequence
from typing import Any

from langgraph.runtime import get_runtime

from ..prompts import Catalogue
from ..state.budget import check_budget
from ..state.deliberation import Convening
from ..state.fence import storable
from ..state.refused import Refused
from ..state.rules import Rules
from ..state.statement import Participant, check_kinds
from ..state.writes import Update
from .inputs import MATERIAL_LIMIT, check_models, check_text, filled, language_notes, noted
from .models.embedding_spec import meaning
from .models.spec import found_spec, warn_of_unsent

Cast = Callable[[Sequence[Participant], dict[str, str], Rules], tuple[list[Participant], list[str]]]
"""Who sits where: (given participants, given personas, rules) → (participants, warnings); raises `Refused`."""


def convene(
    rules_class: type[Rules], cast: Cast, words: Catalogue, opening: type = Convening
) -> Callable[[Convening], object]:
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
            incidents=[noted(what) for what in [*language_notes(rules, participants), *warnings]],
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


async def settle(rules_class: type[Rules], words: Catalogue) -> Rules:
    """The run's rules: the caller's context or the defaults, with the model found and the seed drawn."""
    context = get_runtime().context
    if isinstance(context, dict):
        context = rules_class.model_validate(context)
    given = context if isinstance(context, rules_class) else rules_class()
    warn_of_unsent(given)
    settled = given.settled()
    return settled.settled(
        templates=words.check(settled.templates),
        model=settled.model or await found_spec(),
        seed=secrets.randbelow(2**31) if settled.seed is None else settled.seed,
        **meaning(settled),
    )
