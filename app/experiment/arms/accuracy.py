"""Accuracy and spend of each arm, and the gain of one arm over another."""

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
    measure_change,
    measure_equivalence,
)
from ..statistics.estimate import Array
from .answers import ANSWERING_ARMS, ArmAnswer, TalkWithArms, compute_credits, sum_spends
from .figure import estimate_share


@dataclass(frozen=True)
class ArmRow:
    """Accuracy of one arm and its mean spend."""

    arm: str
    as_wrong: IntervalEstimate
    """Accuracy with failed runs counted as wrong (intention to treat)."""
    per_protocol: IntervalEstimate
    """Accuracy with failed runs left out."""
    spent: Spend
    failed: int


@dataclass(frozen=True)
class GainRow:
    """One comparison of two arms, with its tests."""

    name: str
    arms: tuple[str, str]
    as_wrong: IntervalEstimate
    """Mean gain with failed runs counted as wrong (intention to treat)."""
    per_protocol: IntervalEstimate
    """Mean gain with failed runs left out."""
    bootstrap: IntervalEstimate
    """Gain with its interval by a bootstrap of items."""
    p: float | None
    """P value of the sign-flip test."""
    adjusted_p: float | None
    """P value adjusted by Holm over all comparisons."""
    equivalence: Equivalence | None
    change: PairedChange | None


def make_unit(talk: TalkWithArms, arms: Sequence[str]) -> Unit:
    """Return the credit of each arm of a talk that has ended."""
    planned = talk.run.planned
    return Unit(planned.item.id, compute_credits(talk, arms), planned.repeat, "-".join(planned.swap))


def build_arm_rows(units: Sequence[Unit], answers: Sequence[Mapping[str, ArmAnswer]]) -> list[ArmRow]:
    """Return a row for each arm that was run, in the order of a report.

    `answers`: for each talk, the answers of its arms.
    """
    return [_build_arm_row(name, units, answers) for name in ANSWERING_ARMS if name in _list_run_arms(units)]


def _list_run_arms(units: Sequence[Unit]) -> set[str]:
    return {arm for unit in units for arm in unit.credit}


def _build_arm_row(name: str, units: Sequence[Unit], answers: Sequence[Mapping[str, ArmAnswer]]) -> ArmRow:
    failed = sum(unit.credit.get(name, 0.0) is None for unit in units)
    as_wrong, per_protocol = (
        estimate_share(collect_accuracies(units, name)),
        estimate_share(collect_accuracies(units, name, "left out")),
    )
    return ArmRow(
        name,
        as_wrong,
        per_protocol,
        _compute_mean_spend([talk_answers[name].spent for talk_answers in answers if name in talk_answers]),
        failed,
    )


def _compute_mean_spend(spends: Sequence[Spend]) -> Spend:
    """Return the mean spend of several runs."""
    total, n = sum_spends(spends), max(1, len(spends))
    return Spend(round(total.calls / n), round(total.tokens / n), None if total.cost is None else total.cost / n)


def build_gain_rows(units: Sequence[Unit], plan: Plan, label: str) -> list[GainRow]:
    """Return a row for each comparison whose two arms were run.

    `label`: label of the condition; it names the random streams of the tests.
    """
    comparisons = {name: pair for name, pair in COMPARISONS.items() if _list_run_arms(units).issuperset(pair)}
    values = {name: collect_gains(units, *pair) for name, pair in comparisons.items()}
    p_values = {
        name: compute_sign_flip_p(differences, seed=plan.seed, purpose=[label, name])
        for name, differences in values.items()
    }
    adjusted_p_values = adjust_p_values({name: p for name, p in p_values.items() if p is not None})
    return [
        GainRow(
            name=name,
            arms=pair,
            as_wrong=estimate_mean(values[name]),
            per_protocol=estimate_mean(collect_gains(units, *pair, "left out")),
            bootstrap=estimate_by_bootstrap([values[name]], _take_first_column, seed=plan.seed, purpose=[label, name]),
            p=p_values[name],
            adjusted_p=adjusted_p_values.get(name),
            equivalence=measure_equivalence(values[name], plan.margin) if plan.margin else None,
            change=_measure_change(units, plan, *pair),
        )
        for name, pair in comparisons.items()
    ]


def _take_first_column(means: Array) -> Array:
    return means[..., 0]


def _measure_change(units: Sequence[Unit], plan: Plan, arm: str, against: str) -> PairedChange | None:
    """Return the change by the exact McNemar test, or `None` with repeats, swaps or split credit."""
    credits_by_arm = [unit.credit for unit in units if unit.credit.keys() >= {arm, against}]
    pairs = [(credits[against] or 0.0, credits[arm] or 0.0) for credits in credits_by_arm]
    if plan.repeats > 1 or plan.swap or any(credit not in (0.0, 1.0) for pair in pairs for credit in pair):
        return None
    return measure_change([(before == 1, after == 1) for before, after in pairs])
