"""The first step: check the input, settle the rules, seat the participants, fill every channel once."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langgraph.runtime import get_runtime

from ..prompts import Catalogue
from ..state.budget import check_budget
from ..state.deliberation import Convening, Given
from ..state.fence import storable
from ..state.positions import asked_alone, asked_at_first
from ..state.refused import Refused
from ..state.requirements import reading
from ..state.rules import Rules
from ..state.statement import Participant
from ..state.writes import Update
from .calibrated_stop import calibrated_stop
from .initial_state import MATERIAL_LIMIT, check_models, check_text, filled, language_notes, noted
from .models.embedding_spec import meaning
from .models.operator_limits import admitted
from .models.prices import priced
from .models.recording import recording, replaying
from .models.spec import found_spec, warn_of_unsent
from .seats import refuse_unsaved

Cast = Callable[[Sequence[Participant], dict[str, str], Any], tuple[list[Participant], list[str]]]
"""Who sits where: (given participants, given personas, rules) → (participants, warnings); raises `Refused`."""


def topic(state: Given) -> str:
    """What most protocols deliberate on."""
    return state["topic"]


def convene(
    rules_class: type[Rules], cast: Cast, words: Catalogue, about: Callable[[Any], str] = topic
) -> Callable[[Any], object]:
    """The first step of a protocol with the knobs of `rules_class`, whose seats `cast` fills.

    `about` gives what is deliberated; it bears the name of the channel in which that is given.
    """

    async def convene(state: Convening) -> Update:
        """Check the input, settle the rules, seat the participants.

        Reads topic or query, material, participants, personas, private, and history to know a used thread; writes
        every channel.
        """
        given = about(state)
        _check_given(state, about.__name__, given)
        seated = [one.model for one in state["participants"]]
        rules = await settle(rules_class, words, given.strip(), seated)
        participants, warnings = cast(state["participants"], state["personas"], rules)
        participants = told_privately(participants, state["private"])
        refuse_unsaved(participants)
        check_models(rules, participants)
        rules = await priced(rules, participants)
        stop = await calibrated_stop(rules, participants)
        if not rules.direct:
            check_budget(rules, asked_alone(rules, participants), asked_at_first(rules, participants))
        misfits = stop.misfits if stop else []
        return filled(participants, rules) | Update(
            topic=storable(given.strip()),
            material=storable(state["material"]),
            incidents=[noted(what) for what in [*language_notes(rules, participants, words), *warnings, *misfits]],
            verdict=None,
            judged=0,
            answer=None,
            stop=stop,
        )

    return reading(convene, about, cast)


def told_privately(participants: Sequence[Participant], private: Mapping[str, str]) -> list[Participant]:
    """The participants with what each alone is told; raises `Refused` for what is meant for nobody."""
    seats = {str(number): one.name for number, one in enumerate(participants, 1)}
    known = {one.name for one in participants}
    meant = {key if key in known else seats.get(key, ""): text for key, text in private.items()}
    if "" in meant:
        lost = next(key for key in private if key not in known and key not in seats)
        raise Refused(f"private.{lost}", private[lost], f"nobody has this name; there are {', '.join(sorted(known))}")
    if len(meant) < len(private):
        raise Refused("private", sorted(private), "somebody is told twice, by name and by seat; keep one")
    return [one.model_copy(update={"private": storable(meant.get(one.name, one.private))}) for one in participants]


def _check_given(state: Convening, about: str, given: str) -> None:
    if state["history"]:
        raise Refused("input", given, "this thread already holds a deliberation; use a new thread")
    check_text(about, given, 4000)
    check_text("material", state["material"], MATERIAL_LIMIT, blank=True)


async def settle(rules_class: type[Rules], words: Catalogue, about: str, seated: Sequence[str]) -> Rules:
    """The run's rules: the caller's context or the defaults, with the model found and the seed drawn.

    `about`: what is deliberated, by which a recording knows a run. `seated`: the participants' own models.
    """
    context = get_runtime().context
    if isinstance(context, dict):
        context = rules_class.model_validate(context)
    given = context if isinstance(context, rules_class) else rules_class()
    warn_of_unsent(given)
    settled = await replaying(await admitted(given.settled()), about)
    whole = settled.settled(
        templates=words.check(settled.templates),
        model=settled.model or await found_spec(seated),
        seed=secrets.randbelow(2**31) if settled.seed is None else settled.seed,
        **meaning(settled),
    )
    return await recording(whole, about)
