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
    """Two-sided p value of the sign-flip test; `None` without items."""
    adjusted_p: float | None
    """P value adjusted over all comparisons by Holm's method."""
    equivalence: Equivalence | None
    change: PairedChange | None


def make_unit(talk: TalkWithArms, arms: Sequence[str]) -> Unit:
    """Make the unit of a talk: its item, repeat and swap with the credit of each arm that has ended."""
    planned_run = talk.run.planned
    return Unit(planned_run.item.id, compute_credits(talk, arms), planned_run.repeat, "-".join(planned_run.swap))


def build_arm_rows(units: Sequence[Unit], answers_by_talk: Sequence[Mapping[str, ArmAnswer]]) -> list[ArmRow]:
    """Return a row for each arm that was run, in the order of a report.

    `answers_by_talk`: for each talk, the answers of its arms.
    """
    return [_build_arm_row(name, units, answers_by_talk) for name in ANSWERING_ARMS if name in _collect_arms(units)]


def _collect_arms(units: Sequence[Unit]) -> set[str]:
    return {arm for unit in units for arm in unit.credits}


def _build_arm_row(name: str, units: Sequence[Unit], answers_by_talk: Sequence[Mapping[str, ArmAnswer]]) -> ArmRow:
    failed_count = sum(unit.credits.get(name, 0.0) is None for unit in units)
    as_wrong, per_protocol = (
        estimate_share(collect_accuracies(units, name)),
        estimate_share(collect_accuracies(units, name, "left out")),
    )
    return ArmRow(
        name,
        as_wrong,
        per_protocol,
        _compute_mean_spend([talk_answers[name].spent for talk_answers in answers_by_talk if name in talk_answers]),
        failed_count,
    )


def _compute_mean_spend(spends: Sequence[Spend]) -> Spend:
    """Return the mean spend of several runs."""
    total, spend_count = sum_spends(spends), max(1, len(spends))
    return Spend(
        round(total.calls / spend_count),
        round(total.tokens / spend_count),
        None if total.cost is None else total.cost / spend_count,
    )


def build_gain_rows(units: Sequence[Unit], plan: Plan, label: str) -> list[GainRow]:
    """Return a row for each comparison whose two arms were run.

    `label`: label of the condition, which names the random streams of the tests.
    """
    comparisons = {name: pair for name, pair in COMPARISONS.items() if _collect_arms(units).issuperset(pair)}
    gains_by_name = {name: collect_gains(units, *pair) for name, pair in comparisons.items()}
    p_values = {
        name: compute_sign_flip_p(differences, seed=plan.seed, purpose=[label, name])
        for name, differences in gains_by_name.items()
    }
    adjusted_p_values = adjust_p_values({name: p for name, p in p_values.items() if p is not None})
    return [
        GainRow(
            name=name,
            arms=pair,
            as_wrong=estimate_mean(gains_by_name[name]),
            per_protocol=estimate_mean(collect_gains(units, *pair, "left out")),
            bootstrap=estimate_by_bootstrap(
                [gains_by_name[name]], _take_first_column, seed=plan.seed, purpose=[label, name]
            ),
            p=p_values[name],
            adjusted_p=adjusted_p_values.get(name),
            equivalence=measure_equivalence(gains_by_name[name], plan.margin) if plan.margin else None,
            change=_measure_change(units, plan, *pair),
        )
        for name, pair in comparisons.items()
    ]


def _take_first_column(means: Array) -> Array:
    return means[..., 0]


def _measure_change(units: Sequence[Unit], plan: Plan, arm: str, baseline: str) -> PairedChange | None:
    """Return the change with McNemar's exact test, or `None` with repeats, swaps or split credit."""
    credits_by_arm = [unit.credits for unit in units if unit.credits.keys() >= {arm, baseline}]
    pairs = [(credits[baseline] or 0.0, credits[arm] or 0.0) for credits in credits_by_arm]
    if plan.repeats > 1 or plan.swap or any(credit not in (0.0, 1.0) for pair in pairs for credit in pair):
        return None
    return measure_change([(before == 1, after == 1) for before, after in pairs])
