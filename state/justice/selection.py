"""Selection: which of four distributions a principle picks. Always computed, exactly; ties go to the lowest index."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from .income import DISTRIBUTION_IDS, DistributionId, DistributionSet
from .principle import Principle, SharingRule

_FLOOR: Final = "maximizing_floor"
_AVERAGE: Final = "maximizing_average"
_FLOOR_CONSTRAINT: Final = "maximizing_average_floor_constraint"


class Selection(BaseModel):
    """What a rule picks from a set, and what its amount did. The three flags are none for principles 1 and 2."""

    model_config = ConfigDict(frozen=True)

    distribution: DistributionId = Field(description="The distribution picked.")
    constraint_satisfied: bool | None = Field(
        default=None, description="False: none satisfied it, the closest is taken."
    )
    binding: bool | None = Field(default=None, description="Whether the amount excludes at least one distribution.")
    decisive: bool | None = Field(default=None, description="Whether the outcome differs from that of principle 2.")


def select(table: DistributionSet, rule: SharingRule) -> Selection:
    """What `rule` picks from `table`, under the weights of the table.

    1: the largest floor. 2: the largest average. 3: the largest average among those with a floor of at least the
    amount, else the largest floor of all. 4: the largest average among those with a range of at most the amount,
    else the smallest range of all.
    """
    if rule.principle == _FLOOR:
        return Selection(distribution=_best(table.floors))
    if rule.principle == _AVERAGE:
        return Selection(distribution=_best(table.averages))
    headroom = _headroom(table, rule)
    averages = [mean if room >= 0 else Fraction(-1) for mean, room in zip(table.averages, headroom, strict=True)]
    satisfied = max(headroom) >= 0
    picked = _best(averages) if satisfied else _best(headroom)
    return Selection(
        distribution=picked,
        constraint_satisfied=satisfied,
        binding=min(headroom) < 0,
        decisive=picked != _best(table.averages),
    )


def _headroom(table: DistributionSet, rule: SharingRule) -> list[int]:
    """By how much each distribution meets the amount; negative: it does not. The closest miss is the largest."""
    amount = rule.constraint_amount or 0
    if rule.principle == _FLOOR_CONSTRAINT:
        return [floor - amount for floor in table.floors]
    return [amount - spread for spread in table.ranges]


def _best(values: Sequence[int] | Sequence[Fraction]) -> DistributionId:
    """The distribution with the largest value; the first of equals."""
    return DISTRIBUTION_IDS[max(range(len(values)), key=lambda index: values[index])]


def median_rule(table: DistributionSet, principle: Principle) -> SharingRule:
    """A principle with the amount nobody chose: the upper median (third smallest of four) of the floors or ranges.

    The amount is at least 1, also where most distributions give every class the same income.
    """
    values = table.floors if principle == _FLOOR_CONSTRAINT else table.ranges
    return SharingRule(principle=principle, constraint_amount=max(1, sorted(values)[2]))
