"""Incomes: five classes, distributions over them, and sets of four distributions to choose from."""

import random
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import floor
from typing import Annotated, Final, Literal, Self, get_args

from pydantic import Field, model_validator

from ..errors import check_keys
from ..frozen_models import ClosedModel, StrictModel

IncomeClass = Literal["high", "medium_high", "medium", "medium_low", "low"]
DistributionId = Literal["D1", "D2", "D3", "D4"]

INCOME_CLASSES: Final[tuple[IncomeClass, ...]] = get_args(IncomeClass)
DISTRIBUTION_IDS: Final[tuple[DistributionId, ...]] = get_args(DistributionId)
DEFAULT_WEIGHTS: Final = (0.05, 0.10, 0.50, 0.25, 0.10)

Income = Annotated[int, Field(ge=1, le=10**15, description="Yearly income of the class, in whole units.")]
Weight = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Weights = Annotated[list[Weight], Field(min_length=5, max_length=5)]
"""Probability of each class, from high to low."""


class Distribution(StrictModel):
    """Yearly income for each of five classes, never rising from high to low. A list is also accepted."""

    high: Income
    medium_high: Income
    medium: Income
    medium_low: Income
    low: Income

    @model_validator(mode="before")
    @classmethod
    def _convert_list(cls, value: object) -> object:
        if isinstance(value, dict):
            check_keys(value, INCOME_CLASSES)
        if not isinstance(value, list):
            return value
        if len(value) != len(INCOME_CLASSES):
            raise ValueError(f"a distribution has five incomes, from high to low; {len(value)} were given")
        return dict(zip(INCOME_CLASSES, value, strict=True))

    @model_validator(mode="after")
    def _check_descending(self) -> Self:
        if self.incomes != sorted(self.incomes, reverse=True):
            raise ValueError(f"incomes {self.incomes} must not rise from high to low")
        return self

    @property
    def incomes(self) -> list[int]:
        """Return the five incomes, from high to low."""
        return [self.high, self.medium_high, self.medium, self.medium_low, self.low]

    @property
    def range(self) -> int:
        """Return the difference between the highest and the lowest income."""
        return self.high - self.low

    def get_income(self, income_class: IncomeClass) -> int:
        """Return the yearly income of a class in this distribution."""
        return self.incomes[INCOME_CLASSES.index(income_class)]

    def compute_average(self, weights: list[float] | None) -> Fraction:
        """Compute the exact average income. `weights` are read as decimals; `None` weighs all equally."""
        return _compute_weighted_sum(tuple(self.incomes), tuple(weights or ()))


@lru_cache(maxsize=1024)  # every rule that is shown compares averages, and exact sums are slow
def _compute_weighted_sum(incomes: tuple[int, ...], weights: tuple[float, ...]) -> Fraction:
    shares = [Fraction(repr(weight)) for weight in weights] or [Fraction(1, 5)] * 5
    return sum((income * share for income, share in zip(incomes, shares, strict=True)), Fraction(0))


class DistributionSet(ClosedModel):
    """Four distributions D1 to D4, the factor that multiplied their incomes, and the class weights."""

    distributions: list[Distribution] = Field(min_length=4, max_length=4, description="D1 to D4.")
    multiplier: float = Field(default=1.0, gt=0, allow_inf_nan=False, description="Factor by which the set was scaled.")
    weights: Weights | None = Field(
        default=None, description="Probabilities of the income classes, high to low; none: equal."
    )

    def __getitem__(self, name: DistributionId) -> Distribution:
        return self.distributions[DISTRIBUTION_IDS.index(name)]

    @property
    def floors(self) -> list[int]:
        """Return the lowest income of each distribution, D1 to D4."""
        return [distribution.low for distribution in self.distributions]

    @property
    def ranges(self) -> list[int]:
        """Return the difference between the highest and the lowest income of each distribution, D1 to D4."""
        return [distribution.range for distribution in self.distributions]

    @property
    def averages(self) -> list[Fraction]:
        """Return the average income of each distribution under the set's class weights, D1 to D4."""
        return [distribution.compute_average(self.weights) for distribution in self.distributions]

    def scale_incomes(self, multiplier: float) -> Self:
        """Return the set with each income multiplied by `multiplier` and rounded down.

        Raises `ValueError` if an income would fall below 1.
        """
        incomes = [[int(income * multiplier) for income in distribution.incomes] for distribution in self.distributions]
        return self._with_incomes(incomes, self.multiplier * multiplier)

    def widen_incomes(self, factor: float) -> Self:
        """Return the set with each income moved away from its average by `factor` ≥ 1.

        An income becomes floor(average + factor × (income − average) + ½), so the averages stay the same up to
        rounding. Raises `ValueError` if an income would fall below 1.
        """
        exact_factor = Fraction(repr(factor))
        incomes = [
            [floor(mean + exact_factor * (income - mean) + Fraction(1, 2)) for income in distribution.incomes]
            for distribution, mean in zip(self.distributions, self.averages, strict=True)
        ]
        return self._with_incomes(incomes, self.multiplier)

    def _with_incomes(self, incomes: list[list[int]], multiplier: float) -> Self:
        lowest_income = min(min(row) for row in incomes)
        if lowest_income < 1:
            raise ValueError(f"an income would fall to {lowest_income}; each must stay at 1 or more")
        return type(self).model_validate({"distributions": incomes, "multiplier": multiplier, "weights": self.weights})


def draw_class(rng: random.Random, weights: Sequence[float] | None) -> IncomeClass:
    """Draw an income class with the probabilities `weights`; `None` weighs all classes equally."""
    return rng.choices(INCOME_CLASSES, weights or [1] * len(INCOME_CLASSES))[0]


def draw_distribution(rng: random.Random) -> DistributionId:
    """Draw one of the four distributions with equal probability."""
    return rng.choice(DISTRIBUTION_IDS)


PAID_DRAWS = 5
"""Number of paid draws: four applications and one draw of the group."""


def compute_payoff_cents(income: int) -> int:
    """Compute the payoff in whole cents for a yearly income: $1 per 10,000, half a cent rounded up.

    Raises `ValueError` unless the income is above 0.
    """
    if income <= 0:
        raise ValueError(f"income {income}: must be above 0")
    return (income + 50) // 100


def format_dollars(cents: int) -> str:
    """Format cents as dollars with two decimals and commas: 1060 → "10.60", −10 → "-0.10"."""
    dollars, remainder = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{dollars:,}.{remainder:02}"


def split_credit(credit: int, draw_count: int = PAID_DRAWS) -> list[int]:
    """Split `credit` in cents over the paid draws, as equally as whole cents allow."""
    share, remainder = divmod(credit, draw_count)
    return [share + (position < remainder) for position in range(draw_count)]
