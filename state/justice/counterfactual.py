"""Counterfactuals: what the same class would have been paid under another principle."""

from pydantic import BaseModel, ConfigDict, Field

from .income import DistributionId, DistributionSet, IncomeClass
from .payoff import cents
from .principle import PRINCIPLES, NumberedPrinciple, Principle, SharingRule, numbered
from .selection import median_rule, select


class Counterfactual(BaseModel):
    """What one class receives under one rule."""

    model_config = ConfigDict(frozen=True)

    principle: NumberedPrinciple = Field(description="Principle id.")
    constraint_amount: int | None = Field(default=None, gt=0, description="The amount assumed, for 3 and 4.")
    distribution: DistributionId = Field(description="What the rule picks.")
    income: int = Field(ge=1, description="Income of the class there.")
    payoff_cents: int = Field(ge=0, description="That income as money, in cents.")


class Counterfactuals(BaseModel):
    """What a class would have been paid under each principle, and how that compares with what it was paid."""

    model_config = ConfigDict(frozen=True)

    outcomes: list[Counterfactual] = Field(min_length=4, max_length=4, description="One per principle, 1 to 4.")
    best: list[Principle] = Field(min_length=1, description="The principles that pay most, lowest number first.")
    worst: list[Principle] = Field(min_length=1, description="The principles that pay least, lowest number first.")
    spread_cents: int = Field(ge=0, description="Best less worst payoff, in cents.")
    cost_cents: int = Field(description="Best less actual payoff, in cents; negative where a random pick paid more.")


def counterfactuals(
    table: DistributionSet, income_class: IncomeClass, in_force: SharingRule | None, actual_cents: int
) -> Counterfactuals:
    """The class's payoffs under the four principles, held against `actual_cents`.

    The amount of principle 3 and of 4 is that of the rule in force if it is this principle's, else the upper median
    of the four floors or ranges. Payoffs are compared in cents.
    """
    outcomes = [_under(table, income_class, _rule(table, number, in_force)) for number in range(1, 5)]
    payoffs = [outcome.payoff_cents for outcome in outcomes]
    most, least = max(payoffs), min(payoffs)
    return Counterfactuals(
        outcomes=outcomes,
        best=[principle for principle, paid in zip(PRINCIPLES, payoffs, strict=True) if paid == most],
        worst=[principle for principle, paid in zip(PRINCIPLES, payoffs, strict=True) if paid == least],
        spread_cents=most - least,
        cost_cents=most - actual_cents,
    )


def shown_rules(table: DistributionSet) -> list[SharingRule]:
    """Principles 1 and 2, then 3 at every distinct floor and 4 at every distinct range of the set, ascending.

    An amount is at least 1, also where a distribution gives every class the same income.
    """
    rules = [SharingRule(principle=numbered(1)), SharingRule(principle=numbered(2))]
    for number, values in ((3, table.floors), (4, table.ranges)):
        amounts = sorted({max(1, value) for value in values})
        rules += [SharingRule(principle=numbered(number), constraint_amount=amount) for amount in amounts]
    return rules


def alternatives(table: DistributionSet, income_class: IncomeClass) -> list[Counterfactual]:
    """The class's payoffs under every rule that is shown for the set."""
    return [_under(table, income_class, rule) for rule in shown_rules(table)]


def _rule(table: DistributionSet, number: int, in_force: SharingRule | None) -> SharingRule:
    principle = numbered(number)
    if in_force is not None and in_force.principle == principle:
        return in_force
    return median_rule(table, principle)


def _under(table: DistributionSet, income_class: IncomeClass, rule: SharingRule) -> Counterfactual:
    picked = select(table, rule).distribution
    income = table[picked].income(income_class)
    return Counterfactual(
        principle=rule.principle,
        constraint_amount=rule.constraint_amount,
        distribution=picked,
        income=income,
        payoff_cents=cents(income),
    )
