"""Settlement: after the vote the set and the classes are drawn, and everyone is paid."""

import random
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field

from ..draw import Draw, drawn
from .counterfactual import Counterfactuals, counterfactuals
from .income import DistributionId, DistributionSet, IncomeClass
from .payoff import cents, draw_class, draw_distribution
from .principle import PRINCIPLES, Principle, SharingRule
from .rules import JusticeRules
from .selection import Selection, median_rule, select

NO_CONSENSUS = ("phase2", "no_consensus")
Lot = TypeVar("Lot", bound=str)


class Payoff(BaseModel):
    """What one participant is paid in the group's draw."""

    model_config = ConfigDict(frozen=True)

    income: int = Field(ge=1, description="Income of the class in the distribution that pays.")
    payoff_cents: int = Field(ge=0, description="That income as money, in cents.")


class Payment(BaseModel):
    """The group's draw. Mappings are by participant id."""

    model_config = ConfigDict(frozen=True)

    distribution_set: DistributionSet | None = Field(default=None, description="The set drawn.")
    rule_in_force: SharingRule | None = Field(
        default=None, description="The rule that selected: adopted, imposed or drawn; none: distributions were drawn."
    )
    constraint_satisfied: bool | None = Field(default=None, description="Whether any distribution met the amount.")
    binding: bool | None = Field(default=None, description="Whether the amount excluded at least one distribution.")
    decisive: bool | None = Field(default=None, description="Whether the outcome differed from that of principle 2.")
    chosen_distribution: dict[str, DistributionId] = Field(default_factory=dict, description="What pays whom.")
    assigned_classes: dict[str, IncomeClass] = Field(default_factory=dict, description="Who is in which class.")
    payoffs: dict[str, Payoff] = Field(default_factory=dict, description="Who is paid what.")
    alternative_earnings: dict[str, Counterfactuals] = Field(
        default_factory=dict, description="What each would have been paid under the other principles."
    )
    draws: list[Draw] = Field(default_factory=list, description="Every draw made for it.")


def pay_out(rules: JusticeRules, adopted: SharingRule | None) -> Payment:
    """The draw and the payment of the group, under the rule it adopted or was given, else as `no_consensus_mode` says.

    Each draw has its own stream: the multiplier, each participant's class, and what pays without a rule.
    """
    bounds = rules.tables.distribution_range_phase2
    multiplier, draw = drawn(rules.run_seed, ["phase2", "multiplier"], "multiplier", lambda rng: rng.uniform(*bounds))
    table = rules.tables.base.scaled(multiplier)
    rule, rule_draws = (adopted, []) if adopted else _drawn_rule(rules, table)
    selection = select(table, rule) if rule else None
    chosen, picks = _chosen(rules, selection)
    classes, class_draws = _per_participant(rules, "class", partial(draw_class, weights=table.weights))
    incomes = {each: table[chosen[each]].income(classes[each]) for each in rules.ids}
    return Payment(
        distribution_set=table,
        rule_in_force=rule,
        constraint_satisfied=selection.constraint_satisfied if selection else None,
        binding=selection.binding if selection else None,
        decisive=selection.decisive if selection else None,
        chosen_distribution=chosen,
        assigned_classes=classes,
        payoffs={each: Payoff(income=income, payoff_cents=cents(income)) for each, income in incomes.items()},
        alternative_earnings={
            each: counterfactuals(table, classes[each], rule, cents(income)) for each, income in incomes.items()
        },
        draws=[draw, *rule_draws, *picks, *class_draws],
    )


def _drawn_rule(rules: JusticeRules, table: DistributionSet) -> tuple[SharingRule | None, list[Draw]]:
    """A principle drawn in place of a rule, with the upper median as its amount, where the mode says so."""
    if rules.voting.no_consensus_mode != "random_principle":
        return None, []
    principle, draw = drawn(rules.run_seed, NO_CONSENSUS, "principle", _any_principle)
    return median_rule(table, principle), [draw]


def _any_principle(rng: random.Random) -> Principle:
    return rng.choice(PRINCIPLES)


def _chosen(rules: JusticeRules, selection: Selection | None) -> tuple[dict[str, DistributionId], list[Draw]]:
    """What pays whom: the rule's selection, else a distribution drawn for all, or one for each."""
    if selection:
        return dict.fromkeys(rules.ids, selection.distribution), []
    if rules.voting.no_consensus_mode == "random_distribution_group":
        distribution, draw = drawn(rules.run_seed, NO_CONSENSUS, "distribution", draw_distribution)
        return dict.fromkeys(rules.ids, distribution), [draw]
    return _per_participant(rules, "no_consensus", draw_distribution)


def _per_participant(
    rules: JusticeRules, purpose: str, pick: Callable[[random.Random], Lot]
) -> tuple[dict[str, Lot], list[Draw]]:
    """One draw for each participant, from a stream of its own."""
    kind = "class" if purpose == "class" else "distribution"
    lots = {each: drawn(rules.run_seed, ["phase2", purpose, each], kind, pick) for each in rules.ids}
    return {each: lot for each, (lot, _) in lots.items()}, [draw for _, draw in lots.values()]
