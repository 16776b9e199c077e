"""The group's results, as one participant is told them."""

from dataclasses import replace

from ...state.justice import PAID_DRAWS, Payment, SharingRule
from ...state.justice.channels import Integrating
from .addressee import Hearer
from .briefing import results
from .recall import difference_lines


def after_results(state: Integrating, hearer: Hearer) -> Hearer:
    """The participant with the group's payoff in its bank."""
    paid = state["settlement"].payoffs[hearer.one.id].payoff_cents
    return replace(hearer, bank=hearer.bank + paid, drawn=PAID_DRAWS)


def results_text(state: Integrating, hearer: Hearer) -> str:
    """The results as one participant is told them, in the order that is prescribed."""
    settlement, id = state["settlement"], hearer.one.id
    assert settlement.distribution_set is not None
    income_class, payoff = settlement.assigned_classes[id], settlement.payoffs[id]
    paid = hearer.paid(payoff.payoff_cents, PAID_DRAWS)
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
            "reminder": hearer.joined(hearer.say("results.reminder"), after_results(state, hearer).held()),
        },
    )


def applied(settlement: Payment, adopted: SharingRule | None, hearer: Hearer) -> str:
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
    return hearer.joined(*parts)


def compared(settlement: Payment, hearer: Hearer) -> str:
    """What the same class would have paid under each principle, with the difference from what was paid."""
    id = hearer.one.id
    outcomes = settlement.alternative_earnings[id].outcomes
    return difference_lines(hearer, outcomes, PAID_DRAWS, settlement.payoffs[id].payoff_cents)
