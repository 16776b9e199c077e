"""Accuracy and cost of each arm, the gain of one arm over another, and figures from a pilot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from statistics import fmean
from typing import Literal

from ....state import InputError
from .. import DetectionSettings, ExperimentRun, Plan
from ..measures import COMPARISONS, MECHANISMS, Spend, Unit, collect_accuracies, collect_gains, sum_spends
from ..statistics import (
    SIGNIFICANCE_LEVEL,
    Equivalence,
    IntervalEstimate,
    ItemValues,
    PairedChange,
    PValue,
    adjust_p_values,
    compute_sign_flip_p,
    estimate_at_stop,
    estimate_by_bootstrap,
    estimate_item_correlation,
    estimate_mean,
    estimate_share,
    measure_change,
    measure_equivalence,
)
from .answers import ANSWERING_ARMS, ArmAnswer, group_runs_by_talk, make_unit, resolve_comparison


@dataclass(frozen=True)
class ArmRow:
    """Accuracy of one arm, and the mean spending of its runs that began.

    `as_wrong`: accuracy with failed runs counted as wrong (intention to treat). `per_protocol`: accuracy without failed
    runs. `short`: number of deliberations whose samples cost less than the deliberation. `tied`: number of
    deliberations in which the right answer was tied with others.
    """

    arm: str
    as_wrong: IntervalEstimate
    per_protocol: IntervalEstimate
    spent: Spend
    failed: int
    short: int = 0
    tied: int = 0


Verdict = Literal["one_item", "too_few", "helped", "helped_little", "hurt", "hurt_little", "equal", "none", "alike"]


@dataclass(frozen=True)
class Judgement:
    """Mean difference with its tests and verdict.

    `p`: two-sided p of the sign-flip or permutation test; `None` without items, and after an early stop. `adjusted_p`:
    p after Holm's correction; `None` outside a family of comparisons. The verdict prefers `adjusted_p` to `p`. `swaps`:
    number of units that the test swaps; `None` for all items.
    """

    estimate: IntervalEstimate
    p: PValue | None
    equivalence: Equivalence | None
    adjusted_p: float | None = None
    swaps: int | None = None

    @property
    def swap_count(self) -> int:
        """Return how many values the test swaps."""
        return self.estimate.items if self.swaps is None else self.swaps

    @property
    def verdict(self) -> Verdict | None:
        """Return the verdict of the tests at the level of 5 %; `None` without items."""
        value, items = self.estimate.value, self.estimate.items
        if value is None or self.p is None or items < 2:
            return None if value is None else "one_item"
        if 2 ** (1 - self.swap_count) > SIGNIFICANCE_LEVEL:
            return "too_few"
        is_equal = self.equivalence is not None and self.equivalence.is_equivalent
        if (self.p.p if self.adjusted_p is None else self.adjusted_p) > SIGNIFICANCE_LEVEL:
            return "equal" if is_equal else "none" if self.estimate.standard_error else "alike"
        if value > 0:
            return "helped_little" if is_equal else "helped"
        return "hurt_little" if is_equal else "hurt"


def judge_difference(
    gains: ItemValues, plan: Plan, purpose: Sequence[str | int], stop_alpha: float | None = None
) -> Judgement:
    """Test whether the mean of differences in [−1, 1] is above, below or near 0.

    `gains`: differences by item. `purpose`: name of the test's random stream. `stop_alpha`: α of an early stop, after
    which the interval is a confidence sequence and tests are left out.
    """
    if stop_alpha is not None:
        return Judgement(estimate_at_stop(gains, stop_alpha), None, None)
    equivalence = measure_equivalence(gains, plan.margin) if plan.margin else None
    return Judgement(estimate_mean(gains), compute_sign_flip_p(gains, seed=plan.seed, purpose=purpose), equivalence)


@dataclass(frozen=True)
class GainRow:
    """Comparison of two arms, with its tests.

    `wrong`: gain with failed runs counted as wrong (intention to treat). `left_out`: gain without failed runs.
    `bounds`: lowest and highest mean gain, with missing runs counted at their worst and at their best. `bootstrap`:
    gain with an interval from resampled items; `None` after an early stop. `adjusted_p`: p after Holm's correction
    within the family of mechanisms; `None` for other comparisons.
    """

    name: str
    arms: tuple[str, str]
    wrong: Judgement
    left_out: Judgement
    bounds: tuple[float | None, float | None]
    bootstrap: IntervalEstimate | None
    adjusted_p: float | None
    change: PairedChange | None


@dataclass(frozen=True)
class BestModelGain:
    """Gain of deliberations over the best of several models, each alone at the same cost.

    The best model is picked after the results are known, and so partly by luck. `is_better`: whether deliberations beat
    each of the G models. The interval is [min L(α/2), min U(α/2G)], with L and U the ends of each model's interval.
    """

    models: list[str]
    value: float
    low: float | None
    high: float | None
    is_better: bool


def build_arm_rows(
    units: Sequence[Unit], answers_by_talk: Sequence[Mapping[str, ArmAnswer]], stop_alpha: float | None = None
) -> list[ArmRow]:
    """Return a row for each arm that has runs, in the order of a report.

    `answers_by_talk`: for each deliberation, the answers of its arms. `stop_alpha`: α of an early stop.
    """
    rows, names = [], dict.fromkeys(name for unit in units for name in unit.credits)
    estimate = estimate_share if stop_alpha is None else partial(estimate_at_stop, alpha=stop_alpha, lowest=0.0)
    for name in sorted(names, key=lambda name: ANSWERING_ARMS.index(name.partition(":")[0])):
        answers = [arm_answers[name] for arm_answers in answers_by_talk if name in arm_answers]
        spends = [answer.spent for answer in answers if answer.spent.calls] or [Spend(0, 0)]
        rows.append(
            ArmRow(
                arm=name,
                as_wrong=estimate(collect_accuracies(units, name)),
                per_protocol=estimate(collect_accuracies(units, name, "left out")),
                spent=sum_spends(spends).divide(len(spends)),
                failed=sum(name in unit.failures for unit in units),
                short=sum(answer.is_short for answer in answers),
                tied=sum(name in unit.ties for unit in units),
            )
        )
    return rows


def build_gain_rows(units: Sequence[Unit], plan: Plan, stop_alpha: float | None = None) -> list[GainRow]:
    """Return a row for each comparison of two arms that have runs.

    All rows share their random streams, so equal data get equal figures. `stop_alpha`: α of an early stop, after which
    the rows have no bootstrap and no change.
    """
    arms = {arm for unit in units for arm in unit.credits}
    comparisons = COMPARISONS | {f"net_{arm}": ("talk", arm) for arm in sorted(arms) if ":" in arm}
    rows = []
    for name, pair in [(name, pair) for name, pair in comparisons.items() if arms.issuperset(pair)]:
        gains, bootstrap, change = collect_gains(units, *pair), None, None
        credits = [
            (unit.get_credit(pair[1], -1, "wrong"), unit.get_credit(pair[0], 1, "wrong"))
            for unit in units
            if unit.credits.keys() >= {*pair}
        ]
        if stop_alpha is None:
            bootstrap = estimate_by_bootstrap([gains], lambda means: means[..., 0], seed=plan.seed, purpose=[])
        if stop_alpha is None and plan.repeats == 1 and not plan.swap and {0.0, 1.0}.issuperset(chain(*credits)):
            change = measure_change([(before == 1, after == 1) for before, after in credits])
        rows.append(
            GainRow(
                name=name,
                arms=pair,
                wrong=judge_difference(gains, plan, [], stop_alpha),
                left_out=judge_difference(collect_gains(units, *pair, "left out"), plan, [], stop_alpha),
                bounds=(
                    estimate_mean(collect_gains(units, *pair, "worst")).value,
                    estimate_mean(collect_gains(units, *pair, "best")).value,
                ),
                bootstrap=bootstrap,
                adjusted_p=None,
                change=change,
            )
        )
    family = {row.name: row.wrong.p.p for row in rows if row.name in MECHANISMS and row.wrong.p}
    adjusted_p_values = adjust_p_values(family) if len(family) == len(MECHANISMS) else {}
    return [replace(row, adjusted_p=adjusted_p_values.get(row.name)) for row in rows]


def measure_best_gain(units: Sequence[Unit], rows: Sequence[GainRow]) -> BestModelGain | None:
    """Return the gain of deliberations over the best single model; `None` if a comparison has no test."""
    if not rows or any(row.wrong.p is None for row in rows):
        return None
    level = 1 - SIGNIFICANCE_LEVEL / len(rows)
    lows = [row.wrong.estimate.low for row in rows]
    highs = [estimate_mean(collect_gains(units, *row.arms), level).high for row in rows]
    return BestModelGain(
        models=[row.name.partition(":")[2] for row in rows],
        value=min(row.wrong.estimate.value or 0.0 for row in rows),
        low=None if None in lows else min(low for low in lows if low is not None),
        high=None if None in highs else min(high for high in highs if high is not None),
        is_better=all(row.wrong.verdict in ("helped", "helped_little") for row in rows),
    )


def estimate_from_pilot(plan: Plan, pilot: Plan, runs: Sequence[ExperimentRun]) -> tuple[DetectionSettings, str]:
    """Return settings for the effect to detect, with a pilot's figures, and a sentence about them.

    `runs`: runs of the pilot. Settings in the plan override the pilot's figures. Raises `InputError` if the runs do not
    compare the arms with known right answers, or if both arms have equal credit in every pair.
    """
    talks, comparison = group_runs_by_talk(runs), next(iter(plan.until), plan.primary)
    comparison = resolve_comparison(pilot, talks, comparison if comparison in COMPARISONS else "net")
    units = []
    for talk in [talk for talk in talks if talk.run.progress]:
        unit = make_unit(talk, pilot.arms)
        units.append(replace(unit, item=f"{talk.run.planned.condition.slug} {unit.item}"))
    gains_by_item = collect_gains(units, *COMPARISONS[comparison])
    differences = [value for row in gains_by_item.values() for value in row]
    if not differences:
        arms = " and ".join(arm.partition("_")[0] for arm in COMPARISONS[comparison])
        raise InputError(
            "detect.from",
            pilot.name,
            f"the runs of this pilot do not compare {arms} on items with a truth; name another pilot",
        )
    if not any(differences):
        raise InputError(
            "detect.from",
            pilot.name,
            "both arms gave equal results in every pair of this pilot; give gain and discordance yourself",
        )
    discordance = fmean(float(difference != 0) for difference in differences)
    figures = {"gain": fmean(differences), "discordance": discordance}
    correlation_text = "correlation within items unknown without repeats"
    if (correlation := estimate_item_correlation(gains_by_item)) is not None:
        figures["within_item"] = correlation
        correlation_text = f"correlation within items {correlation:.2f}"
    item_count = len([row for row in gains_by_item.values() if row])
    sentence = (
        f"from the pilot {pilot.name}, {comparison}, {item_count} items: gain {100 * figures['gain']:+.1f} points, "
        f"{100 * discordance:.1f} % of pairs differing, {correlation_text}"
    )
    overrides = plan.detect.model_dump(include=plan.detect.model_fields_set)
    return DetectionSettings.model_validate(figures | overrides), sentence
