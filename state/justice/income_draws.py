"""Payoffs: the draw of a class, income as money, and the same money as deductions from a credit."""

import random
from collections.abc import Sequence

from .income import DISTRIBUTION_IDS, INCOME_CLASSES, DistributionId, IncomeClass

PAID_DRAWS = 5
"""Paid draws: four applications and one draw of the group."""


def draw_class(rng: random.Random, weights: Sequence[float] | None) -> IncomeClass:
    """Draw a class with these weights, or with equal ones.

    It is the first class, from high to low, whose running sum of weights exceeds the next number of `rng`.
    """
    return rng.choices(INCOME_CLASSES, weights or [1] * len(INCOME_CLASSES))[0]


def draw_distribution(rng: random.Random) -> DistributionId:
    """Draw one of the four distributions with equal probability."""
    return rng.choice(DISTRIBUTION_IDS)


def compute_cents(income: int) -> int:
    """Return the payoff of an income, $1 per 10,000, in whole cents, half up.

    Raises ValueError for an income of 0 or less.
    """
    if income <= 0:
        raise ValueError(f"income {income}: only an income above 0 is paid")
    return (income + 50) // 100


def format_dollars(amount: int) -> str:
    """Format cents as dollars with two decimals and commas: 1060 → "10.60", −10 → "-0.10"."""
    units, rest = divmod(abs(amount), 100)
    return f"{'-' if amount < 0 else ''}{units:,}.{rest:02}"


def split_credit(credit: int, draws: int = PAID_DRAWS) -> list[int]:
    """Split a credit in cents over the paid draws, as equally as whole cents allow; the sum is the credit."""
    share, remainder = divmod(credit, draws)
    return [share + (position < remainder) for position in range(draws)]


def compute_deduction(share: int, payoff: int) -> int:
    """Return the cents that a draw takes from its `share` of the credit to leave `payoff`.

    A negative number is an addition.
    """
    return share - payoff
