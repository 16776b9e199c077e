"""Counterfactuals: payoffs that the same income class would earn under other principles."""

from pydantic import Field

from ..frozen import FrozenModel
from .distribution_choice import make_median_rule, select_distribution
from .income import DistributionId, DistributionSet, IncomeClass
from .payoffs import compute_payoff_cents
from .principle import PRINCIPLES, NumberedPrinciple, Principle, SharingRule, get_principle


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
    """List the rules shown to participants: principles 1 and 2, then 3 and 4 with each amount.

    Principle 3 takes every distinct floor as its amount, principle 4 every distinct range, in ascending order.
    """
    sharing_rules = [SharingRule(principle=get_principle(1)), SharingRule(principle=get_principle(2))]
    for number, values in ((3, table.floors), (4, table.ranges)):
        amounts = sorted({max(1, value) for value in values})
        sharing_rules += [SharingRule(principle=get_principle(number), constraint_amount=amount) for amount in amounts]
    return sharing_rules


def list_alternatives(table: DistributionSet, income_class: IncomeClass) -> list[Counterfactual]:
    """List the payoffs of an income class under every rule that participants see for this set."""
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
