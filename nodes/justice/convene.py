"""The first step of the justice experiment."""

from collections.abc import Callable
from typing import cast
from uuid import uuid4

from langgraph.runtime import get_runtime

from ...prompts import Catalogue, hashes
from ...state.budget import check_budget
from ...state.justice import JusticeParticipant, JusticeRules, Payment, WordsInForce
from ...state.justice.channels import JusticeConvening
from ...state.justice.writes import JusticeUpdate
from ...state.refused import Refused
from ...state.statement import Participant
from ..asking.tries import SHARED
from ..clock import stamp
from ..initial_state import check_models, filled, noted
from ..models.operator_limits import admitted
from ..models.prices import priced
from ..models.recording import recording, replaying
from ..models.spec import found_spec, warn_of_unsent
from ..seats import refuse_unsaved
from .words import PHRASES


def convene(words: Catalogue) -> Callable[[JusticeConvening], object]:
    """The step that settles the rules and the seed, seats everyone, and fills every channel once."""

    async def convene(state: JusticeConvening) -> JusticeUpdate:
        """Check the input, settle the rules and the seed, seat the participants.

        Reads experiment_id, and calls and began_at to know a used thread; writes every channel.
        """
        if state["calls"] or state["began_at"]:
            raise Refused("input", state["experiment_id"], "this thread already holds an experiment; use a new thread")
        rules = await settled(words)
        people = [participant_of(one) for one in rules.participants]
        check_models(rules, people)
        refuse_unsaved(people)
        rules = await priced(rules, people)
        check_budget(rules, alone=sum(one.kind == "model" for one in people), reserve=0)
        return before_phase_1(people, rules) | JusticeUpdate(
            topic=PHRASES.within(rules.templates).say(rules.language, f"{rules.wording.wording}.topic"),
            words=words_of(words, rules),
            experiment_id=state["experiment_id"] or f"justice-{uuid4().hex[:8]}",
            began_at=stamp(),
        )

    return convene


def words_of(words: Catalogue, rules: JusticeRules) -> WordsInForce:
    """What everyone is told from, by hash: the built-in texts, and those of the run's own folder."""
    languages = [rules.language, *(one.language for one in rules.participants if one.language)]
    built_in, own = hashes([words, SHARED], languages, rules.templates)
    return WordsInForce(built_in=built_in, own=own)


def before_phase_1(people: list[Participant], rules: JusticeRules) -> JusticeUpdate:
    """The channels of an experiment in which nobody has done anything; imposed, a principle holds from the start."""
    amounts = rules.voting.amount_min_reasonable, rules.voting.amount_max_reasonable
    return cast(JusticeUpdate, filled(people, rules)) | JusticeUpdate(
        incidents=[noted(what) for what in rules.tables.out_of_reach(*amounts)],
        alone={},
        orders=[],
        draws=[],
        reasonings=[],
        answers=[],
        initiator="",
        votes=[],
        adopted=rules.voting.imposed,
        settlement=Payment(),
        last_rankings={},
        unintegrated={},
        measures=None,
    )


async def settled(words: Catalogue) -> JusticeRules:
    """The run's rules: the caller's context or the defaults, with the seed of the settings and the model found."""
    context = get_runtime().context
    if isinstance(context, dict):
        context = JusticeRules.model_validate(context)
    rules = context if isinstance(context, JusticeRules) else JusticeRules()
    warn_of_unsent(rules)
    seed, named = rules.run_seed, await replaying(await admitted(rules.settled()), "")
    templates = words.check(named.templates or words.folder)
    model = named.model or await found_spec(one.model for one in named.participants)
    whole = named.settled(seed=seed if named.seed is None else named.seed, model=model, templates=templates)
    return await recording(whole, "")


def participant_of(one: JusticeParticipant) -> Participant:
    """A participant as the shared record knows it."""
    return Participant(
        name=one.name,
        persona=one.personality,
        model=one.model,
        kind=one.kind,
        language=one.language or "",
        temperature=one.temperature,
    )
