"""Selection of one of four distributions by a principle, exactly; ties go to the lowest index."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from .income import DISTRIBUTION_IDS, DistributionId, DistributionSet
from .principle import Principle, SharingRule

_FLOOR: Final = "maximizing_floor"
_AVERAGE: Final = "maximizing_average"
_FLOOR_CONSTRAINT: Final = "maximizing_average_floor_constraint"


class RuleSelection(BaseModel):
    """A rule's pick from a set, and the effect of its amount.

    The three flags are `None` for principles 1 and 2.
    """

    model_config = ConfigDict(frozen=True)

    distribution: DistributionId = Field(description="The distribution picked.")
    constraint_satisfied: bool | None = Field(
        default=None, description="False: none satisfied it, the closest is taken."
    )
    binding: bool | None = Field(default=None, description="Whether the amount excludes at least one distribution.")
    decisive: bool | None = Field(default=None, description="Whether the outcome differs from that of principle 2.")


def select_distribution(table: DistributionSet, rule: SharingRule) -> RuleSelection:
    """Return the pick of `rule` from `table`, under the weights of the table.

    1: the largest floor. 2: the largest average. 3: the largest average among those with a floor of at
    least the amount, else the largest floor of all. 4: the largest average among those with a range of at
    most the amount, else the smallest range of all.
    """
    if rule.principle == _FLOOR:
        return RuleSelection(distribution=_pick_largest(table.floors))
    if rule.principle == _AVERAGE:
        return RuleSelection(distribution=_pick_largest(table.averages))
    headroom = _compute_headroom(table, rule)
    averages = [mean if room >= 0 else Fraction(-1) for mean, room in zip(table.averages, headroom, strict=True)]
    is_satisfied = max(headroom) >= 0
    choice = _pick_largest(averages) if is_satisfied else _pick_largest(headroom)
    return RuleSelection(
        distribution=choice,
        constraint_satisfied=is_satisfied,
        binding=min(headroom) < 0,
        decisive=choice != _pick_largest(table.averages),
    )


def _compute_headroom(table: DistributionSet, rule: SharingRule) -> list[int]:
    """Compute each distribution's margin to the amount; a negative one misses it.

    The closest miss is the largest.
    """
    amount = rule.constraint_amount or 0
    if rule.principle == _FLOOR_CONSTRAINT:
        return [floor - amount for floor in table.floors]
    return [amount - width for width in table.ranges]


def _pick_largest(values: Sequence[int] | Sequence[Fraction]) -> DistributionId:
    """Return the distribution with the largest value, the first of equals."""
    return DISTRIBUTION_IDS[max(range(len(values)), key=lambda index: values[index])]


def make_median_rule(table: DistributionSet, principle: Principle) -> SharingRule:
    """Return a principle with the upper median of the floors or ranges as its amount.

    The upper median is the third smallest of four. The amount is at least 1, also where most distributions
    give every class the same income.
    """
    values = table.floors if principle == _FLOOR_CONSTRAINT else table.ranges
    return SharingRule(principle=principle, constraint_amount=max(1, sorted(values)[2]))
