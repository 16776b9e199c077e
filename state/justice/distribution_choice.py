"""Exact selection of one of four distributions by a principle.

If several distributions are equally good, the first is selected.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from pydantic import Field

from ..frozen_models import FrozenModel
from .income import DISTRIBUTION_IDS, DistributionId, DistributionSet, IncomeClass, compute_payoff_cents
from .principle import PRINCIPLES, NumberedPrinciple, Principle, SharingRule, get_principle

_FLOOR_CONSTRAINT: Final = "maximizing_average_floor_constraint"


class RuleSelection(FrozenModel):
    """Distribution that a rule selects from a set, and the effect of the rule's amount.

    The three flags are `None` for principles 1 and 2, because these have no amount.
    """

    distribution: DistributionId = Field(description="Selected distribution.")
    constraint_satisfied: bool | None = Field(
        default=None, description="Whether a distribution meets the amount; false: the closest one is selected."
    )
    binding: bool | None = Field(default=None, description="Whether the amount excludes at least one distribution.")
    decisive: bool | None = Field(default=None, description="Whether the outcome differs from that of principle 2.")


def select_distribution(table: DistributionSet, rule: SharingRule) -> RuleSelection:
    """Select a distribution from `table` by `rule`, with the class weights of the table.

    Principle 1 selects the largest floor, principle 2 the largest average. Principle 3 selects the largest average
    among distributions whose floor is at least the amount. Without such a distribution, it selects the largest floor.
    Principle 4 selects the largest average among distributions whose range is at most the amount. Without such a
    distribution, it selects the smallest range.
    """
    if rule.principle == "maximizing_floor":
        return RuleSelection(distribution=_pick_largest(table.floors))
    if rule.principle == "maximizing_average":
        return RuleSelection(distribution=_pick_largest(table.averages))
    amount = rule.constraint_amount or 0  # a negative margin violates the constraint
    has_floor = rule.principle == _FLOOR_CONSTRAINT
    margins = [floor - amount for floor in table.floors] if has_floor else [amount - width for width in table.ranges]
    averages = [mean if margin >= 0 else Fraction(-1) for mean, margin in zip(table.averages, margins, strict=True)]
    is_satisfied = max(margins) >= 0
    distribution = _pick_largest(averages) if is_satisfied else _pick_largest(margins)
    return RuleSelection(
        distribution=distribution,
        constraint_satisfied=is_satisfied,
        binding=min(margins) < 0,
        decisive=distribution != _pick_largest(table.averages),
    )


def _pick_largest(values: Sequence[int] | Sequence[Fraction]) -> DistributionId:
    return DISTRIBUTION_IDS[max(range(len(values)), key=lambda index: values[index])]


def make_median_rule(table: DistributionSet, principle: Principle) -> SharingRule:
    """Return the rule of `principle` whose amount is the upper median of the floors or ranges in `table`."""
    values = table.floors if principle == _FLOOR_CONSTRAINT else table.ranges
    return SharingRule(principle=principle, constraint_amount=max(1, sorted(values)[2]))


class Counterfactual(FrozenModel):
    """Income and payoff of one income class under one rule."""

    principle: NumberedPrinciple = Field(description="Id of the principle.")
    constraint_amount: int | None = Field(default=None, gt=0, description="Assumed amount, for principles 3 and 4.")
    distribution: DistributionId = Field(description="Distribution that the rule selects.")
    income: int = Field(ge=1, description="Income of the class in this distribution.")
    payoff_cents: int = Field(ge=0, description="Payoff of the income, in cents.")


class Counterfactuals(FrozenModel):
    """Payoffs of an income class under each principle, compared with its actual payoff."""

    outcomes: list[Counterfactual] = Field(
        min_length=4, max_length=4, description="Payoff under each principle, 1 to 4."
    )
    best: list[Principle] = Field(min_length=1, description="Principles that pay most, lowest number first.")
    worst: list[Principle] = Field(min_length=1, description="Principles that pay least, lowest number first.")
    spread_cents: int = Field(ge=0, description="Best less worst payoff, in cents.")
    cost_cents: int = Field(
        description="Best minus actual payoff, in cents; negative if a random distribution paid more."
    )


def compute_counterfactuals(
    table: DistributionSet, income_class: IncomeClass, active_rule: SharingRule | None, actual_cents: int
) -> Counterfactuals:
    """Compute the payoffs of an income class under the four principles, compared with `actual_cents`.

    Principles 3 and 4 need an amount. If `active_rule` has the same principle, it provides the amount. Otherwise the
    amount is the upper median of the four floors or ranges. Payoffs are compared in cents.
    """
    rules = [
        active_rule if active_rule and active_rule.principle == principle else make_median_rule(table, principle)
        for principle in PRINCIPLES
    ]
    outcomes = [_compute_counterfactual(table, income_class, rule) for rule in rules]
    payoffs = [outcome.payoff_cents for outcome in outcomes]
    highest, lowest = max(payoffs), min(payoffs)
    return Counterfactuals(
        outcomes=outcomes,
        best=[principle for principle, payoff in zip(PRINCIPLES, payoffs, strict=True) if payoff == highest],
        worst=[principle for principle, payoff in zip(PRINCIPLES, payoffs, strict=True) if payoff == lowest],
        spread_cents=highest - lowest,
        cost_cents=highest - actual_cents,
    )


def list_shown_rules(table: DistributionSet) -> list[SharingRule]:
    """Return the rules whose results participants see: principles 1 and 2, then 3 and 4 with each amount.

    Principle 3 takes every distinct floor as its amount, principle 4 every distinct range, in ascending order.
    """
    sharing_rules = [SharingRule(principle=get_principle(1)), SharingRule(principle=get_principle(2))]
    for number, values in ((3, table.floors), (4, table.ranges)):
        amounts = sorted({max(1, value) for value in values})
        sharing_rules += [SharingRule(principle=get_principle(number), constraint_amount=amount) for amount in amounts]
    return sharing_rules


def list_alternatives(table: DistributionSet, income_class: IncomeClass) -> list[Counterfactual]:
    """Return the income and payoff of an income class under each rule of `list_shown_rules`."""
    return [_compute_counterfactual(table, income_class, rule) for rule in list_shown_rules(table)]


def _compute_counterfactual(table: DistributionSet, income_class: IncomeClass, rule: SharingRule) -> Counterfactual:
    distribution = select_distribution(table, rule).distribution
    income = table[distribution].get_income(income_class)
    return Counterfactual(
        principle=rule.principle,
        constraint_amount=rule.constraint_amount,
        distribution=distribution,
        income=income,
        payoff_cents=compute_payoff_cents(income),
    )
