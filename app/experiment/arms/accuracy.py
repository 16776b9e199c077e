"""Accuracy and cost of each arm, and the gain of one arm over another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..measures import COMPARISONS, Spend, Unit, collect_accuracies, collect_gains
from ..plan import Plan
from ..statistics import (
    Equivalence,
    IntervalEstimate,
    PairedChange,
    adjust_p_values,
    compute_sign_flip_p,
    estimate_by_bootstrap,
    estimate_mean,
    estimate_share,
    measure_change,
    measure_equivalence,
)
from .answers import ANSWERING_ARMS, ArmAnswer, TalkWithArms, compute_credits, sum_spends


@dataclass(frozen=True)
class ArmRow:
    """Accuracy of one arm, and what a run of it spends on average.

    `as_wrong`: accuracy with failed runs counted as wrong (intention to treat). `per_protocol`: accuracy without
    failed runs.
    """

    arm: str
    as_wrong: IntervalEstimate
    per_protocol: IntervalEstimate
    spent: Spend
    failed: int


@dataclass(frozen=True)
class GainRow:
    """Comparison of two arms, with its tests.

    `as_wrong`: mean gain with failed runs counted as wrong (intention to treat). `per_protocol`: mean gain without
    failed runs. `bootstrap`: gain with an interval from resampled items. `p`: two-sided p value of the sign-flip test;
    `None` without items. `adjusted_p`: p value after Holm's correction for all comparisons.
    """

    name: str
    arms: tuple[str, str]
    as_wrong: IntervalEstimate
    per_protocol: IntervalEstimate
    bootstrap: IntervalEstimate
    p: float | None
    adjusted_p: float | None
    equivalence: Equivalence | None
    change: PairedChange | None


def make_unit(talk: TalkWithArms, arms: Sequence[str]) -> Unit:
    """Make the unit of a talk: its item, repeat and swap, with the credit of each finished arm."""
    planned = talk.run.planned
    return Unit(planned.item.id, compute_credits(talk, arms), planned.repeat, "-".join(planned.swap))


def build_arm_rows(units: Sequence[Unit], answers_by_talk: Sequence[Mapping[str, ArmAnswer]]) -> list[ArmRow]:
    """Return a row for each arm with runs, in the order of a report.

    `answers_by_talk`: for each talk, the answers of its arms.
    """
    rows = []
    for name in ANSWERING_ARMS:
        if any(name in unit.credits for unit in units):
            as_wrong = estimate_share(collect_accuracies(units, name))
            per_protocol = estimate_share(collect_accuracies(units, name, "left out"))
            spends = [answers[name].spent for answers in answers_by_talk if name in answers]
            total, count = sum_spends(spends), max(1, len(spends))
            cost = None if total.cost is None else total.cost / count
            mean_spend = Spend(round(total.calls / count), round(total.tokens / count), cost)
            failed_count = sum(unit.credits.get(name, 0.0) is None for unit in units)
            rows.append(ArmRow(name, as_wrong, per_protocol, mean_spend, failed_count))
    return rows


def build_gain_rows(units: Sequence[Unit], plan: Plan, label: str) -> list[GainRow]:
    """Return a row for each comparison of two arms with runs.

    `label`: label of the condition. It is part of the names of random streams.
    """
    arms = {arm for unit in units for arm in unit.credits}
    gains_by_name = {name: collect_gains(units, *pair) for name, pair in COMPARISONS.items() if arms.issuperset(pair)}
    p_values = {}
    for name, gains in gains_by_name.items():
        p_values[name] = compute_sign_flip_p(gains, seed=plan.seed, purpose=[label, name])
    adjusted_p_values = adjust_p_values({name: p for name, p in p_values.items() if p is not None})
    return [
        GainRow(
            name=name,
            arms=COMPARISONS[name],
            as_wrong=estimate_mean(gains),
            per_protocol=estimate_mean(collect_gains(units, *COMPARISONS[name], "left out")),
            bootstrap=estimate_by_bootstrap(
                [gains], lambda means: means[..., 0], seed=plan.seed, purpose=[label, name]
            ),
            p=p_values[name],
            adjusted_p=adjusted_p_values.get(name),
            equivalence=measure_equivalence(gains, plan.margin) if plan.margin else None,
            change=_measure_change(units, plan, *COMPARISONS[name]),
        )
        for name, gains in gains_by_name.items()
    ]


def _measure_change(units: Sequence[Unit], plan: Plan, arm: str, baseline: str) -> PairedChange | None:
    """Return the change with McNemar's exact test.

    Return `None` with repeats, swaps or split credit, which the test does not allow.
    """
    credits_by_arm = [unit.credits for unit in units if unit.credits.keys() >= {arm, baseline}]
    pairs = [(credits[baseline] or 0.0, credits[arm] or 0.0) for credits in credits_by_arm]
    if plan.repeats > 1 or plan.swap or any(credit not in (0.0, 1.0) for pair in pairs for credit in pair):
        return None
    return measure_change([(before == 1, after == 1) for before, after in pairs])
