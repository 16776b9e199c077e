"""Tests that compare conditions in one measure. Comparisons that the plan declares form one family."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean

import numpy as np

from ...state import derive_stream_seed
from .data import ExperimentRun
from .measures import ValuesByItem
from .plan import Plan
from .planned_runs import list_blocks, list_conditions
from .run_measures import RunMeasure, list_measures
from .statistics import (
    SIGNIFICANCE_LEVEL,
    Equivalence,
    IntervalEstimate,
    PValue,
    adjust_p_values,
    compute_sign_flip_p,
    compute_swap_p,
    estimate_difference,
    estimate_mean,
    measure_equivalence,
)

UnitValues = Mapping[tuple[str, int], float]
"""Value of each unit. A unit is one item in one repeat."""


@dataclass(frozen=True)
class ConditionComparison:
    """Difference of one condition from another in a measure.

    `p`: two-sided p. It comes from flipped signs if items ran under both conditions, and from labels permuted within
    blocks if each item was drawn for one. `adjusted_p`: p after Holm's correction within the declared family; `None` if
    the comparison is exploratory.
    """

    condition: str
    against: str
    measure: RunMeasure
    estimate: IntervalEstimate
    p: PValue | None
    adjusted_p: float | None
    equivalence: Equivalence | None


def compare_conditions(plan: Plan, runs: Sequence[ExperimentRun]) -> list[ConditionComparison]:
    """Compare the conditions as the plan declares, or else its primary measure against the first condition.

    The result is empty for a plan with one condition, or without data in the measure.
    """
    labels, talks = (
        [condition.label for condition in list_conditions(plan)],
        [run for run in runs if not run.planned.arm],
    )
    name = plan.compare.measure if plan.compare else plan.primary or "right"
    measure = next((measure for measure in list_measures(talks) if measure.name == name), None)
    if measure is None or len(labels) < 2:
        return []
    pairs = [(second, first) for first, second in combinations(labels, 2)]
    if not (plan.compare and plan.compare.pairs):
        against = plan.compare.against if plan.compare else labels[0]
        pairs = [(label, against) for label in labels if label != against]
    comparisons = [_compare_pair(plan, measure, talks, *pair) for pair in pairs]
    family = {f"{row.condition} {row.against}": row.p.p for row in comparisons if row.p} if plan.compare else {}
    adjusted_p_values = adjust_p_values(family)
    return [replace(row, adjusted_p=adjusted_p_values.get(f"{row.condition} {row.against}")) for row in comparisons]


def _compare_pair(
    plan: Plan, measure: RunMeasure, talks: Sequence[ExperimentRun], condition: str, against: str
) -> ConditionComparison:
    begun_runs, failed_value = [run for run in talks if run.progress], 0.0 if measure.is_graded else None
    first, second = (
        collect_unit_values(measure, [run for run in begun_runs if run.planned.condition.label == label], failed_value)
        for label in (condition, against)
    )
    purpose, seed = [measure.name, condition, against], plan.seed
    if plan.assignment == "crossed":
        differences: ValuesByItem = defaultdict(list)
        for item, repeat in first.keys() & second.keys():
            differences[item if len(plan.items) > 1 else str(repeat)].append(first[item, repeat] - second[item, repeat])
        estimate = estimate_mean(differences)
        p = compute_sign_flip_p(differences, seed=seed, purpose=purpose)
        has_shares = measure.is_share and plan.margin is not None
        equivalence = measure_equivalence(differences, plan.margin) if has_shares and plan.margin else None
        return ConditionComparison(condition, against, measure, estimate, p, None, equivalence)
    estimate = estimate_difference(_group_by_item(first), _group_by_item(second))
    p = _compute_permutation_p(plan, first, second, purpose) if first and second else None
    return ConditionComparison(condition, against, measure, estimate, p, None, None)


def _compute_permutation_p(plan: Plan, first: UnitValues, second: UnitValues, purpose: Sequence[str]) -> PValue:
    """Return the two-sided p of the difference of means under labels permuted within the drawn blocks.

    A block contains each condition once. So a permutation either swaps the two units of a pair of conditions or keeps
    them.
    """
    blocks, values_by_block = list_blocks(plan), defaultdict[tuple[int, int], dict[str, float]](dict)
    for name, values in (("first", first), ("second", second)):
        for unit, value in values.items():
            values_by_block[blocks[unit]][name] = value
    pairs = [pair for pair in values_by_block.values() if len(pair) == 2]
    weight = 1 / len(first) + 1 / len(second)
    changes = np.array([weight * (pair["second"] - pair["first"]) for pair in pairs])
    generator = np.random.default_rng(derive_stream_seed(plan.seed, "permutation", *purpose))
    difference = fmean(first.values()) - fmean(second.values())
    return compute_swap_p(difference, changes, generator, SIGNIFICANCE_LEVEL)


def _group_by_item(values: UnitValues) -> ValuesByItem:
    groups: ValuesByItem = defaultdict(list)
    for (item, _), value in values.items():
        groups[item].append(value)
    return groups


def collect_unit_values(
    measure: RunMeasure, runs: Sequence[ExperimentRun], failed_value: float | None
) -> dict[tuple[str, int], float]:
    """Collect the values of the units. The values of swapped runs are averaged.

    `failed_value`: value of a failed run; `None` leaves it out.
    """
    units: dict[tuple[str, int], list[float]] = defaultdict(list)
    for run in runs:
        is_failed = not run.is_done or run.document is None or bool(run.failure and failed_value is not None)
        value = failed_value if is_failed else measure.compute(run)
        if value is not None:
            units[run.planned.item.id, run.planned.repeat].append(value)
    return {unit: fmean(values) for unit, values in units.items()}


def collect_values(
    plan: Plan, measure: RunMeasure, runs: Sequence[ExperimentRun], failed_value: float | None
) -> ValuesByItem:
    """Collect the values of the units by item, or for a single item by repeat."""
    clusters: ValuesByItem = defaultdict(list)
    for (item, repeat), value in collect_unit_values(measure, runs, failed_value).items():
        clusters[item if len(plan.items) > 1 else str(repeat)].append(value)
    return clusters
