"""What the adopted rule and the results mean to a participant: its memory is written anew; and how it ranks now."""

from dataclasses import replace

from ...state.justice_state import Integrating, JusticeUpdate
from ...state.principle import SharingRule
from ...state.settlement import Settlement
from ..asking import Asking, at
from ..brief import length_in_words
from ..integrate import Happening, integrated
from .asked import heard, question
from .hearer import Hearer
from .lone import ranked, ranking_in
from .recall import difference
from .told import hearer_in, results, told_in_group


class Summoned(Integrating):
    """A branch for one participant."""

    who: str


async def take_in_adoption(state: Summoned) -> JusticeUpdate:
    """Let one participant work the group's agreement into its memory.

    Reads rules, history, memory, alone, adopted, unintegrated, and who it is; writes memory, unintegrated, calls,
    incidents.
    """
    hearer = hearer_in(state, state["who"])
    assert state["adopted"] is not None
    event = hearer.say("memory.consensus", round=state["round"], rule=hearer.rule(state["adopted"]))
    return await _taken_in(state, hearer, event)


async def take_in_results(state: Summoned) -> JusticeUpdate:
    """Tell one participant its results, and let it work them into its memory.

    Reads rules, history, memory, alone, settlement, adopted, unintegrated, and who it is; writes memory, unintegrated,
    calls, incidents.
    """
    hearer = hearer_in(state, state["who"])
    return await _taken_in(state, after_results(state, hearer), results_text(state, hearer))


async def rank_last(state: Summoned) -> JusticeUpdate:
    """Ask for the last ranking, once the results are known.

    Reads rules, history, memory, alone, settlement, and who it is; writes last_rankings, calls, incidents.
    """
    hearer = after_results(state, hearer_in(state, state["who"]))
    told = told_in_group(state, hearer, "rank", {"occasion": hearer.say("occasions.last_ranking")})
    got = await heard(told, _asking(state, hearer, "ranking"), hearer, ranking_in(hearer))
    return JusticeUpdate(last_rankings={hearer.one.id: ranked(got)}, calls=got.calls, incidents=got.incidents)


def after_results(state: Integrating, hearer: Hearer) -> Hearer:
    """The participant with the group's payoff in its bank."""
    paid = state["settlement"].payoffs[hearer.one.id].payoff_cents
    return replace(hearer, bank=hearer.bank + paid, drawn=5)


async def _taken_in(state: Summoned, hearer: Hearer, event: str) -> JusticeUpdate:
    happening = Happening(
        owner=hearer.one.name,
        event=event,
        bound=hearer.one.memory_max_chars,
        tries=hearer.rules.memory.max_memory_retries,
        empty=hearer.say("faults.empty"),
        too_long=lambda length, bound: _too_long(hearer, length, bound),
        pending=state["unintegrated"].get(hearer.one.name, []),
    )
    enough = length_in_words(hearer.rules.max_tokens_synthesis, hearer.language) // 2
    values = {"event": happening.offered, "bound": f"{happening.bound:,}", "words": enough}
    told = told_in_group(state, hearer, "integrate", values)
    done = await integrated(told, _asking(state, hearer, "memory"), happening)
    return JusticeUpdate(
        memory=done.memory,
        unintegrated={hearer.one.name: done.pending},
        calls=done.calls,
        incidents=done.incidents,
    )


def _too_long(hearer: Hearer, length: int, bound: int) -> str:
    return hearer.say("faults.memory_too_long", length=length, bound=bound, cut=length - bound)


def _asking(state: Summoned, hearer: Hearer, purpose: str) -> Asking:
    talk = hearer.rules.discussion
    tries = hearer.rules.memory.max_memory_retries if purpose == "memory" else 1 + talk.max_participant_retries
    asking = at(question(hearer, purpose, state["calls"], tries, [talk.statement_timeout]), 0, state["round"])
    return replace(asking, max_tokens=hearer.rules.max_tokens_synthesis) if purpose == "memory" else asking


def results_text(state: Integrating, hearer: Hearer) -> str:
    """The results as one participant is told them, in the order that is prescribed."""
    settlement, id = state["settlement"], hearer.one.id
    assert settlement.distribution_set is not None
    income_class, payoff = settlement.assigned_classes[id], settlement.payoffs[id]
    paid = hearer.paid(payoff.payoff_cents, 5)
    name = hearer.say(f"classes.{income_class}")
    picked = settlement.chosen_distribution[id]
    values = {"distribution": picked, "class": name, "income": f"{payoff.income:,}", "paid": paid}
    return results(
        hearer,
        {
            "rule": applied(settlement, state["adopted"], hearer),
            "probabilities": hearer.probabilities(settlement.distribution_set, chosen=True),
            "table": hearer.table(settlement.distribution_set),
            "class": name,
            "cause": hearer.say("results.cause", **values),
            "alternatives": compared(settlement, hearer),
            "reminder": f"{hearer.say('results.reminder')} {after_results(state, hearer).held()}",
        },
    )


def applied(settlement: Settlement, adopted: SharingRule | None, hearer: Hearer) -> str:
    """Which rule paid, and what its amount did; or that chance did."""
    rule, picked = settlement.rule_in_force, settlement.chosen_distribution[hearer.one.id]
    if rule is None:
        alone = hearer.rules.voting.no_consensus_mode == "random_distribution_per_participant"
        return hearer.say("results.per_participant" if alone else "results.for_all", distribution=picked)
    imposed = hearer.rules.voting.decision_rule == "imposed"
    key = "imposed" if imposed else "adopted" if adopted else "drawn"
    parts = [hearer.say(f"results.{key}", rule=hearer.rule(rule), distribution=picked)]
    if settlement.constraint_satisfied is False:
        parts.append(hearer.say("results.unsatisfied"))
    elif settlement.binding is not None:
        parts.append(hearer.say("results.binding" if settlement.binding else "results.not_binding"))
    return " ".join(parts)


def compared(settlement: Settlement, hearer: Hearer) -> str:
    """What the same class would have paid under each principle, with the difference from what was paid."""
    id = hearer.one.id
    actual = settlement.payoffs[id].payoff_cents
    return "\n".join(
        hearer.say(
            "table.difference",
            rule=hearer.rule(SharingRule(principle=each.principle, constraint_amount=each.constraint_amount)),
            distribution=each.distribution,
            income=f"{each.income:,}",
            outcome=hearer.paid(each.payoff_cents, 5, "outcome"),
            difference=difference(hearer, each.payoff_cents - actual),
        )
        for each in settlement.alternative_earnings[id].outcomes
    )


async def reconvene(state: Integrating) -> JusticeUpdate:
    """Wait until everyone has taken in its results.

    Reads and writes nothing.
    """
    return JusticeUpdate()
