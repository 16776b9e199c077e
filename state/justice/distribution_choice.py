"""Exact selection of one of four distributions by a principle.

If several are equally good, the first is selected.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from pydantic import Field

from ..frozen import FrozenModel
from .income import DISTRIBUTION_IDS, DistributionId, DistributionSet
from .principle import Principle, SharingRule

_FLOOR_CONSTRAINT: Final = "maximizing_average_floor_constraint"


class RuleSelection(FrozenModel):
    """Distribution that a rule selects from a set, and the effect of the rule's amount.

    The three flags are `None` for principles 1 and 2, which have no amount.
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
    """Make the rule of a principle with the upper median of the floors or ranges as its amount."""
    values = table.floors if principle == _FLOOR_CONSTRAINT else table.ranges
    return SharingRule(principle=principle, constraint_amount=max(1, sorted(values)[2]))
