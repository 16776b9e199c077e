"""Payoffs: the draw of a class, income into money, and the same money told as losses."""

import random
from collections.abc import Sequence

from .income import DISTRIBUTION_IDS, INCOME_CLASSES, DistributionId, IncomeClass

PAID_DRAWS = 5
"""Draws that are paid: four applications alone and one in the group."""


def draw_class(rng: random.Random, weights: Sequence[float] | None) -> IncomeClass:
    """The first class, from high to low, whose running sum of weights exceeds the next number of `rng`."""
    return rng.choices(INCOME_CLASSES, weights or [1] * len(INCOME_CLASSES))[0]


def draw_distribution(rng: random.Random) -> DistributionId:
    """One of the four, each as likely as the others."""
    return rng.choice(DISTRIBUTION_IDS)


def cents(income: int) -> int:
    """The payoff of an income, $1 per 10,000, in whole cents, half up; ValueError for an income of 0 or less."""
    if income <= 0:
        raise ValueError(f"income {income}: only an income above 0 is paid")
    return (income + 50) // 100


def dollars(amount: int) -> str:
    """Cents as dollars with two decimals and commas: 1060 → "10.60", −10 → "-0.10"."""
    whole, rest = divmod(abs(amount), 100)
    return f"{'-' if amount < 0 else ''}{whole:,}.{rest:02}"


def credit_shares(credit: int, draws: int = PAID_DRAWS) -> list[int]:
    """A credit in cents shared over the paid draws, as equally as whole cents allow; the sum is the credit."""
    each, left = divmod(credit, draws)
    return [each + (position < left) for position in range(draws)]


def deduction(share: int, payoff: int) -> int:
    """What a draw takes from the credit so that `payoff` of its `share` stays, in cents; negative: an addition."""
    return share - payoff
