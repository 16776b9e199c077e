"""Measures, which give one figure for each run, and tests that compare conditions in one measure.

Comparisons that the plan declares form one family.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from operator import itemgetter
from statistics import fmean

import numpy as np

from ...state import derive_stream_seed
from ..protocols.hooks import get_hooks
from .arms.accuracy import Judgement, judge_difference
from .data import Document, ExperimentRun, score_run
from .failures import MISSING_FAILURES
from .measures import ValuesByItem, compute_kendall_w
from .plan import Plan
from .planned_runs import list_conditions, map_blocks
from .statistics import (
    SIGNIFICANCE_LEVEL,
    IntervalEstimate,
    PValue,
    adjust_p_values,
    compute_swap_p,
    estimate_difference,
    estimate_mean,
    estimate_share,
    judge_equivalence,
)

RANKING_TIMES = ("first", "last", "answers")
"""Rankings whose agreement is measured: the first and last ones, and those of a council's answers."""
UnitValues = Mapping[tuple[str, int], float]
"""Value of each unit. A unit is one item in one repeat."""


@dataclass(frozen=True)
class RunMeasure:
    """Measure that gives one figure for each run. Its name and meaning are phrases.

    `is_share`: whether the figure is 0 or 1, so that means are shares. `is_graded`: whether a failed run counts as
    wrong. `bounds`: lowest and highest possible figure; `None` means 0 and the maximum of the runs.
    """

    name: str
    compute: Callable[[ExperimentRun], float | None]
    is_share: bool = False
    is_graded: bool = False
    bounds: tuple[float, float] | None = None


def list_measures(runs: Sequence[ExperimentRun]) -> list[RunMeasure]:
    """Return the measures for which at least one of these runs has a figure."""
    recorded_runs = [run for run in runs if run.is_done and run.document is not None]
    reasons = sorted({str(run.record["terminationReason"]) for run in recorded_runs})
    protocols = dict.fromkeys(str(run.record["protocol"]) for run in recorded_runs)
    totals = {"calls": "totalCalls", "tokens": "totalTokens", "money": "totalCost"}
    rows: list[tuple[str, Callable[[Document], float | None], bool, tuple[float, float] | None]] = [
        *((f"ended: {reason}", partial(_measure_reason, reason), True, None) for reason in reasons if len(reasons) > 1),
        *((own.name, own.compute, own.is_share, own.bounds) for name in protocols for own in get_hooks(name).measures),
        ("agreement", _measure_agreement, False, (0, 1)),
        *((f"Kendall's W, {when}", partial(_compute_concordance, when), False, (0, 1)) for when in RANKING_TIMES),
        ("statements", lambda document: float(len(document["turns"])), False, None),
        *((name, itemgetter(key), False, None) for name, key in totals.items()),
        ("seconds", lambda document: document["totalTimeMs"] / 1000, False, None),
    ]
    measures = [
        RunMeasure(
            "right",
            lambda run: None if (truth := run.planned.item.truth) is None else score_run(run.record, truth),
            is_share=True,
            is_graded=True,
        ),
        *(
            RunMeasure(name, partial(_measure_record, compute), share, bounds=ends)
            for name, compute, share, ends in rows
        ),
    ]
    return [measure for measure in measures if any(measure.compute(run) is not None for run in recorded_runs)]


def _measure_record(compute: Callable[[Document], float | None], run: ExperimentRun) -> float | None:
    return compute(run.record)


def _measure_reason(reason: str, document: Document) -> float:
    return float(document["terminationReason"] == reason)


def _measure_agreement(document: Document) -> float | None:
    agreements = document.get("agreements")
    scores = agreements[-1]["scores"].values() if agreements else ()
    return fmean(scores) if scores else None


def _compute_concordance(when: str, document: Document) -> float | None:
    """Return Kendall's W of the rankings in a document; `None` without comparable rankings.

    `when`: `first` or `last` rankings of participants, or `answers` for the rankings of a council's answers.
    """
    rankings = (document.get("phase2") or {}).get("final_rankings", {}).values()
    if when == "first":
        rankings = [phase["initial_ranking"] for phase in (document.get("phase1") or {}).values()]
    orders = [list(ranking["order"]) for ranking in rankings if ranking and not ranking["defaulted"]]
    if when == "answers":
        orders = [review["ranking"] for review in document.get("reviews") or []]
    orders = [order for order in orders if order]
    if len({frozenset(order) for order in orders}) != 1:
        return None
    return compute_kendall_w([[float(order.index(thing)) for thing in sorted(orders[0])] for order in orders])


@dataclass(frozen=True)
class ConditionComparison:
    """Difference of one condition from another in one measure, with its tests.

    `levels`: figures of both conditions. `wrong`: difference with failed runs counted as wrong (intention to treat), if
    the measure is graded; else they are left out, as in `left_out`. `bounds`: lowest and highest difference, with
    missing runs counted at their worst and at their best; `None` if the measure is not graded. `failed`: failed runs of
    both conditions. The tests flip signs if items ran under both conditions, and permute labels within blocks if each
    item was drawn for one. A comparison without adjusted p is exploratory.
    """

    condition: str
    against: str
    measure: RunMeasure
    levels: tuple[IntervalEstimate, IntervalEstimate]
    wrong: Judgement
    left_out: Judgement
    bounds: tuple[float | None, float | None]
    failed: int


def compare_conditions(plan: Plan, runs: Sequence[ExperimentRun]) -> list[ConditionComparison]:
    """Compare the conditions in one measure, as the plan declares. Return a comparison for each pair.

    Without a declaration, compare each condition with the first condition. The measure is then the plan's primary
    measure. If the plan has arms or no primary measure, it is the first measure. The result is empty for a plan with
    one condition, or without data in the measure.
    """
    labels, talks = (
        [condition.label for condition in list_conditions(plan)],
        [run for run in runs if not run.planned.arm],
    )
    name = plan.compare.measure if plan.compare else "" if plan.arms else plan.primary
    measures = [measure for measure in list_measures(talks) if name in ("", measure.name)]
    if not measures or len(labels) < 2:
        return []
    pairs = [(second, first) for first, second in combinations(labels, 2)]
    if not (plan.compare and plan.compare.pairs):
        against = plan.compare.against if plan.compare else labels[0]
        pairs = [(label, against) for label in labels if label != against]
    comparisons = [_compare_pair(plan, measures[0], talks, *pair) for pair in pairs]
    adjusted_p_values = adjust_p_values(
        {row.condition + row.against: row.wrong.p.p for row in comparisons if plan.compare and row.wrong.p}
    )
    return [
        replace(row, wrong=replace(row.wrong, adjusted_p=adjusted_p_values.get(row.condition + row.against)))
        for row in comparisons
    ]


def _compare_pair(
    plan: Plan, measure: RunMeasure, talks: Sequence[ExperimentRun], condition: str, against: str
) -> ConditionComparison:
    begun_runs = [run for run in talks if run.progress]
    runs = [[run for run in begun_runs if run.planned.condition.label == label] for label in (condition, against)]
    purpose = [measure.name, condition, against]

    def collect_units(
        value: float | None, first_missing: float | None, second_missing: float | None
    ) -> tuple[UnitValues, UnitValues]:
        first = collect_unit_values(measure, runs[0], value, first_missing)
        return first, collect_unit_values(measure, runs[1], value, second_missing)

    counted_units = collect_units(0.0, 0.0, 0.0) if measure.is_graded else collect_units(None, None, None)
    worst, best = (
        _judge_units(plan, measure, collect_units(0.0, value, 1 - value), purpose).estimate.value
        if measure.is_graded
        else None
        for value in (0.0, 1.0)
    )
    estimate = estimate_share if measure.is_share else estimate_mean
    first, second = (estimate(_group_by_item(plan, units)) for units in counted_units)
    return ConditionComparison(
        condition=condition,
        against=against,
        measure=measure,
        levels=(first, second),
        wrong=_judge_units(plan, measure, counted_units, purpose),
        left_out=_judge_units(plan, measure, collect_units(None, None, None), purpose),
        bounds=(worst, best),
        failed=sum(bool(run.failure) for own in runs for run in own),
    )


def _judge_units(
    plan: Plan, measure: RunMeasure, units: tuple[UnitValues, UnitValues], purpose: Sequence[str]
) -> Judgement:
    """Test the difference of two conditions, paired by item if each item ran under both.

    `units`: values of both conditions by item and repeat. `purpose`: name of the test's random stream.
    """
    (first, second), margin = units, plan.margin if measure.is_share else None
    if plan.assignment == "crossed":
        both = {unit: first[unit] - second[unit] for unit in first if unit in second}
        judgement = judge_difference(_group_by_item(plan, both), plan, purpose)
        return judgement if margin else replace(judgement, equivalence=None)
    groups = _group_by_item(plan, first), _group_by_item(plan, second)
    estimate, p, swap_count = estimate_difference(*groups), None, 0
    if first and second:
        p, swap_count = _compute_permutation_p(plan, first, second, purpose)
    has_scatter = margin and estimate.standard_error
    equivalence = judge_equivalence(estimate_difference(*groups, 0.9), margin) if margin and has_scatter else None
    return Judgement(estimate, p, equivalence, swaps=swap_count)


def _compute_permutation_p(
    plan: Plan, first: UnitValues, second: UnitValues, purpose: Sequence[str]
) -> tuple[PValue, int]:
    """Return the two-sided p from permuted condition labels, and the number of permuted pairs.

    Labels are permuted within the drawn blocks. A block contains each condition once. So a permutation either swaps the
    two units of a pair of conditions or keeps them.
    """
    blocks, values_by_block = map_blocks(plan), defaultdict[tuple[int, int], dict[str, float]](dict)
    for name, values in (("first", first), ("second", second)):
        for unit, value in values.items():
            values_by_block[blocks[unit]][name] = value
    pairs = [pair for pair in values_by_block.values() if len(pair) == 2]
    weight = 1 / len(first) + 1 / len(second)
    changes = np.array([weight * (pair["second"] - pair["first"]) for pair in pairs])
    generator = np.random.default_rng(derive_stream_seed(plan.seed, "permutation", *purpose))
    difference = fmean(first.values()) - fmean(second.values())
    return compute_swap_p(difference, changes, generator, SIGNIFICANCE_LEVEL), len(pairs)


def _group_by_item(plan: Plan, values: UnitValues) -> ValuesByItem:
    """Return values by item or, in a plan with a single item, by repeat.

    `values`: values by item and repeat.
    """
    groups: ValuesByItem = defaultdict(list)
    for (item, repeat), value in values.items():
        groups[item if len(plan.items) > 1 else str(repeat)].append(value)
    return groups


def collect_unit_values(
    measure: RunMeasure, runs: Sequence[ExperimentRun], failed_value: float | None, missing_value: float | None
) -> dict[tuple[str, int], float]:
    """Return a measure's value for each item and repeat. Values of swapped runs are averaged.

    `failed_value`: value of a failed run. `missing_value`: value of a run whose failure says nothing about the answer.
    `None` leaves these runs out.
    """
    units: dict[tuple[str, int], list[float]] = defaultdict(list)
    for run in runs:
        is_failed = not run.is_done or run.document is None or bool(run.failure and failed_value is not None)
        value = missing_value if run.failure in MISSING_FAILURES else failed_value
        value = value if is_failed else measure.compute(run)
        if value is not None:
            units[run.planned.item.id, run.planned.repeat].append(value)
    return {unit: fmean(values) for unit, values in units.items()}


def collect_values(
    plan: Plan, measure: RunMeasure, runs: Sequence[ExperimentRun], failed_value: float | None
) -> ValuesByItem:
    """Return a measure's values by item or, in a plan with a single item, by repeat.

    `failed_value`: value of a failed run; `None` leaves it out.
    """
    return _group_by_item(plan, collect_unit_values(measure, runs, failed_value, failed_value))
