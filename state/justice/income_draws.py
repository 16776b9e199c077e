"""Draws of an income class and of a distribution."""

import random
from collections.abc import Sequence

from .income import DISTRIBUTION_IDS, INCOME_CLASSES, DistributionId, IncomeClass


def draw_class(rng: random.Random, weights: Sequence[float] | None) -> IncomeClass:
    """Draw a class with these weights, or with equal ones."""
    return rng.choices(INCOME_CLASSES, weights or [1] * len(INCOME_CLASSES))[0]


def draw_distribution(rng: random.Random) -> DistributionId:
    """Draw one of the four distributions with equal probability."""
    return rng.choice(DISTRIBUTION_IDS)
