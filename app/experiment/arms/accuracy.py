"""How often each arm was right and at what spend, and what one gains over another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..measures import COMPARISONS, Spend, Unit, accuracies, paired
from ..plan import Plan
from ..statistics import Change, Equivalence, Estimate, bootstrap, change, equivalence, holm, mean, sign_flip
from ..statistics.estimate import Array
from .answered import ANSWERING, Given, TalkWithArms, added, credits
from .figure import mean_share


@dataclass(frozen=True)
class ArmRow:
    """The accuracy of one arm, and what it took on average."""

    arm: str
    all: Estimate
    kept: Estimate
    spent: Spend
    failed: int


@dataclass(frozen=True)
class GainRow:
    """One comparison. `drawn`: by bootstrap of items; `p`: of the sign-flip test; `adjusted`: by Holm over all."""

    name: str
    arms: tuple[str, str]
    all: Estimate
    kept: Estimate
    drawn: Estimate
    p: float | None
    adjusted: float | None
    equal: Equivalence | None
    change: Change | None


def unit(of: TalkWithArms, arms: Sequence[str]) -> Unit:
    """A talk with the credit of each arm that has ended."""
    trial = of.talk.trial
    return Unit(trial.item.id, credits(of, arms), trial.repeat, "-".join(trial.swap))


def arm_rows(units: Sequence[Unit], given: Sequence[Mapping[str, Given]]) -> list[ArmRow]:
    """The arms that were run, in the order of a report. `given`: what those of each talk answered."""
    return [_arm(name, units, given) for name in ANSWERING if name in _run(units)]


def _run(units: Sequence[Unit]) -> set[str]:
    return {arm for unit in units for arm in unit.credit}


def _arm(name: str, units: Sequence[Unit], given: Sequence[Mapping[str, Given]]) -> ArmRow:
    failed = sum(unit.credit.get(name, 0.0) is None for unit in units)
    every, kept = mean_share(accuracies(units, name)), mean_share(accuracies(units, name, "left out"))
    return ArmRow(name, every, kept, _spent([one[name].spent for one in given if name in one]), failed)


def _spent(each: Sequence[Spend]) -> Spend:
    """What runs took on average."""
    whole, n = added(each), max(1, len(each))
    return Spend(round(whole.calls / n), round(whole.tokens / n), None if whole.cost is None else whole.cost / n)


def gain_rows(units: Sequence[Unit], plan: Plan, label: str) -> list[GainRow]:
    """Every comparison whose two arms were run. `label`: of the condition, for the draws of its tests."""
    named = {name: pair for name, pair in COMPARISONS.items() if _run(units).issuperset(pair)}
    values = {name: paired(units, *pair) for name, pair in named.items()}
    tested = {name: sign_flip(one, seed=plan.seed, purpose=[label, name]) for name, one in values.items()}
    adjusted = holm({name: p for name, p in tested.items() if p is not None})
    return [
        GainRow(
            name=name,
            arms=pair,
            all=mean(values[name]),
            kept=mean(paired(units, *pair, "left out")),
            drawn=bootstrap([values[name]], _only, seed=plan.seed, purpose=[label, name]),
            p=tested[name],
            adjusted=adjusted.get(name),
            equal=equivalence(values[name], plan.margin) if plan.margin else None,
            change=_change(units, plan, *pair),
        )
        for name, pair in named.items()
    ]


def _only(means: Array) -> Array:
    return means[..., 0]


def _change(units: Sequence[Unit], plan: Plan, arm: str, against: str) -> Change | None:
    """Exact McNemar, with one repeat, no swap and no split credit only."""
    both = [unit.credit for unit in units if unit.credit.keys() >= {arm, against}]
    held = [(one[against] or 0.0, one[arm] or 0.0) for one in both]
    if plan.repeats > 1 or plan.swap or any(one not in (0.0, 1.0) for pair in held for one in pair):
        return None
    return change([(before == 1, after == 1) for before, after in held])
