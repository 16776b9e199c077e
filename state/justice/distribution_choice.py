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
    """Distribution that a rule selects from a set, and the effect of the rule's amount.

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
    """Select a distribution from `table` by `rule`, under the weights of the table.

    Principle 1 selects the largest floor, principle 2 the largest average. Principle 3 selects the largest
    average among the floors of at least the amount, or else the largest floor. Principle 4 selects the
    largest average among the ranges of at most the amount, or else the smallest range.
    """
    if rule.principle == _FLOOR:
        return RuleSelection(distribution=_pick_largest(table.floors))
    if rule.principle == _AVERAGE:
        return RuleSelection(distribution=_pick_largest(table.averages))
    margins = _compute_margins(table, rule)
    averages = [mean if margin >= 0 else Fraction(-1) for mean, margin in zip(table.averages, margins, strict=True)]
    is_satisfied = max(margins) >= 0
    distribution = _pick_largest(averages) if is_satisfied else _pick_largest(margins)
    return RuleSelection(
        distribution=distribution,
        constraint_satisfied=is_satisfied,
        binding=min(margins) < 0,
        decisive=distribution != _pick_largest(table.averages),
    )


def _compute_margins(table: DistributionSet, rule: SharingRule) -> list[int]:
    """Compute the margin of each distribution to the amount; a negative margin violates the constraint."""
    amount = rule.constraint_amount or 0
    if rule.principle == _FLOOR_CONSTRAINT:
        return [floor - amount for floor in table.floors]
    return [amount - width for width in table.ranges]


def _pick_largest(values: Sequence[int] | Sequence[Fraction]) -> DistributionId:
    """Return the distribution with the largest value, the first of equals."""
    return DISTRIBUTION_IDS[max(range(len(values)), key=lambda index: values[index])]


def make_median_rule(table: DistributionSet, principle: Principle) -> SharingRule:
    """Make the rule of a principle with the upper median of the floors or ranges as its amount.

    The upper median is the third smallest of four. The amount is at least 1, even if most distributions
    give every class the same income.
    """
    values = table.floors if principle == _FLOOR_CONSTRAINT else table.ranges
    return SharingRule(principle=principle, constraint_amount=max(1, sorted(values)[2]))
