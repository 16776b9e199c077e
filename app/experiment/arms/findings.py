"""What follows from a plan's talks and their arms under one condition: accuracies, gains, flips, influence of others.

Failed runs count as wrong where nothing else is said (intention to treat); `kept` leaves them out (per protocol).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from ....state.positions import question_of
from ..data import Outcome
from ..draw import cells
from ..measures import (
    Conformity,
    Declared,
    Failed,
    Flips,
    Positions,
    Spend,
    Unit,
    accuracies,
    accuracy_at,
    alpha,
    clusters,
    conformity,
    drift,
    entropies,
    flips,
    gini,
    opinions,
    oracle_gap,
    paired,
    simpsons,
)
from ..plan import Plan
from ..statistics import Change, Equivalence, Estimate, change, equivalence, holm, mean, sign_flip
from .answered import LABELS, Given, TalkWithArms, added, credits, given, positions, samples, together
from .certified import Certified, alpha_of, certificates
from .influence import InfluenceRow, influences
from .truth import truth_of

Values = dict[str, list[float]]

COMPARISONS: dict[str, tuple[str, str]] = {
    "voting": ("vote", "single"),
    "talking": ("talk", "vote"),
    "net": ("talk", "samples_calls"),
    "net_tokens": ("talk", "samples_tokens"),
    "over the first alone": ("talk", "single"),
    "over self-correction": ("talk", "alone"),
    "over other statements": ("talk", "noise"),
    "to full information": ("informed", "talk"),
}
"""By comparison: the arm, and what it is compared with."""


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
    """One comparison. `p`: of the sign-flip test; `adjusted`: by Holm over all of the condition."""

    name: str
    arms: tuple[str, str]
    all: Estimate
    kept: Estimate
    p: float | None
    adjusted: float | None
    equal: Equivalence | None
    change: Change | None


@dataclass(frozen=True)
class Moment:
    """One time at which all were asked; runs that had ended by then keep their last answers."""

    name: str
    accuracy: Estimate | None
    diversity: Estimate
    simpson: Estimate
    agreement: Estimate
    drift: Estimate | None


@dataclass(frozen=True)
class Findings:
    """What follows under one condition."""

    plan: Plan
    label: str
    talks: Sequence[TalkWithArms]

    @cached_property
    def units(self) -> list[Unit]:
        """The credit of each arm of each talk, as far as both are known."""
        found = [unit(one, self.plan.arms) for one in self.talks]
        return [one for one in found if one.credit]

    @cached_property
    def graded(self) -> bool:
        """Whether there is a truth to be right about."""
        return bool(self.units)

    @cached_property
    def given(self) -> list[dict[str, Given]]:
        """What each arm of each talk answered."""
        return [given(one, self.plan.arms) for one in self.talks]

    def spent(self, arm: str) -> Spend:
        """What an arm took on average."""
        each = [one[arm].spent for one in self.given if arm in one]
        whole, n = added(each), max(1, len(each))
        return Spend(round(whole.calls / n), round(whole.tokens / n), None if whole.cost is None else whole.cost / n)

    @cached_property
    def arms(self) -> list[ArmRow]:
        """The arms that were run, in the order of a report."""
        run = {arm for unit in self.units for arm in unit.credit}
        return [self._arm(name) for name in LABELS if name in run]

    def _arm(self, name: str) -> ArmRow:
        failed = sum(unit.credit.get(name, 0.0) is None for unit in self.units)
        values = [mean(accuracies(self.units, name, kind)) for kind in KINDS]
        return ArmRow(name, values[0], values[1], self.spent(name), failed)

    @cached_property
    def gains(self) -> list[GainRow]:
        """Every comparison whose two arms were run."""
        run = {arm for unit in self.units for arm in unit.credit}
        named = {name: pair for name, pair in COMPARISONS.items() if run.issuperset(pair)}
        tested = {name: self._p(name, pair) for name, pair in named.items()}
        adjusted = holm({name: p for name, p in tested.items() if p is not None})
        return [self._gain(name, pair, tested[name], adjusted.get(name)) for name, pair in named.items()]

    def values(self, pair: tuple[str, str], failed: Failed = "wrong") -> Values:
        """The paired differences of two arms, by item."""
        return paired(self.units, *pair, failed)

    def _p(self, name: str, pair: tuple[str, str]) -> float | None:
        return sign_flip(self.values(pair), seed=self.plan.seed, purpose=[self.label, name])

    def _gain(self, name: str, pair: tuple[str, str], p: float | None, adjusted: float | None) -> GainRow:
        values = self.values(pair)
        equal = equivalence(values, self.plan.margin) if self.plan.margin else None
        return GainRow(
            name, pair, mean(values), mean(self.values(pair, "left out")), p, adjusted, equal, self._change(pair)
        )

    def _change(self, pair: tuple[str, str]) -> Change | None:
        """Exact McNemar, with one repeat, no swap and no split credit only."""
        held = [(unit.credit[pair[1]] or 0.0, unit.credit[pair[0]] or 0.0) for unit in self.units if _has(unit, pair)]
        if self.plan.repeats > 1 or self.plan.swap or any(one not in (0.0, 1.0) for both in held for one in both):
            return None
        return change([(before == 1, after == 1) for before, after in held])

    @cached_property
    def runs(self) -> list[Positions]:
        """The positions of the talks that came to a result."""
        found = (positions(one, midpoint=self.plan.midpoint) for one in self.talks)
        return [one for one in found if one is not None and one.times]

    @cached_property
    def flips(self) -> Flips | None:
        """First answers against last ones; none without a truth, and where nobody is ever asked twice."""
        known = [one for one in self.runs if one.truth is not None]
        return flips(known) if any(one.times > 1 for one in known) else None

    @cached_property
    def conformity(self) -> tuple[Conformity, Conformity | None]:
        """In the talks, and over the same steps in `alone`, where that was run."""
        pairs = [(positions(one), positions(one, "alone")) for one in self.talks]
        alone = [_steps_of(own, talk) for talk, own in pairs if own is not None and talk is not None]
        return conformity(self.runs), conformity(alone) if alone else None

    @cached_property
    def oracle_gap(self) -> Estimate | None:
        """Whether some member was right at the end, minus the credit of their plurality."""
        known = [one for one in self.runs if one.truth is not None]
        return mean(oracle_gap(known)) if known else None

    @cached_property
    def opinion(self) -> dict[str, Estimate]:
        """Shift, size, polarisation and variance ratio, where opinions lie between against and for."""
        found = {name: mean(values) for name, values in opinions(self.runs).items()}
        return {name: one for name, one in found.items() if one.n}

    @cached_property
    def moments(self) -> list[Moment]:
        """Every time all were asked."""
        most = max((one.times for one in self.runs), default=0)
        held = [_padded(one, most) for one in self.runs]
        return [self._moment(held, time, most) for time in range(most)]

    def _moment(self, runs: Sequence[Positions], time: int, most: int) -> Moment:
        known = [one for one in runs if one.truth is not None]
        name = "before" if time == 0 else "after" if most == 2 else str(time)
        right = _each(known, lambda run: fmean(map(run.right, found)) if (found := run.answers(time)) else None)
        agreed = _each(runs, lambda run: _largest(run, time))
        moved = mean(drift(known, time)) if known and time else None
        spread = mean(entropies(runs, time)), mean(simpsons(runs, time))
        return Moment(name, mean(right) if known else None, *spread, mean(agreed), moved)

    @cached_property
    def voices(self) -> dict[str, Estimate]:
        """The share of spoken tokens of each participant."""
        found: dict[str, Values] = {}
        for one in self.talks:
            spoken = _spoken(one)
            for name, count in spoken.items():
                if total := sum(spoken.values()):
                    found.setdefault(name, {}).setdefault(one.talk.trial.item.id, []).append(count / total)
        return {name: mean(values) for name, values in found.items()}

    @cached_property
    def voice(self) -> Estimate:
        """Gini of the tokens spoken: 0 all alike, 1 one alone."""
        values: Values = {}
        for one in self.talks:
            if (found := gini(list(_spoken(one).values()))) is not None:
                values.setdefault(one.talk.trial.item.id, []).append(found)
        return mean(values)

    @cached_property
    def certified(self) -> list[Certified]:
        """Of each talk with samples, whether the first one's answer is their mode; empty without samples."""
        return certificates(self.plan, self.talks)

    @property
    def alpha_of_certificates(self) -> float:
        """The chance of a certificate that does not hold, each."""
        return alpha_of(self.plan)

    @cached_property
    def influences(self) -> list[InfluenceRow]:
        """How often the decision changes without each participant's first statements; empty without forks."""
        return influences(self.talks)

    @cached_property
    def alpha(self) -> tuple[float | None, float | None]:
        """Krippendorff's alpha of the participants' answers over the talks, at first and at last."""
        return self._alpha(0), self._alpha(-1)

    def _alpha(self, time: int) -> float | None:
        names = list(dict.fromkeys(name for run in self.runs for name in run.declared))
        columns = [{name: one.answer for name, one in run.at(time).items()} for run in self.runs]
        numeric = any(isinstance(one, float) for column in columns for one in column.values())
        rows = [[column.get(name) for column in columns] for name in names]
        return alpha(rows, "interval" if numeric else "nominal") if rows else None

    @cached_property
    def curve(self) -> list[tuple[float, float, float, float | None]]:
        """Accuracy at k samples: calls, tokens, accuracy, money, over talks that have k of them."""
        each = [found for one in self.talks if (found := _curve(one, self.plan.seed))]
        length = min((len(one) for one in each), default=0)
        return [_mean_point([one[k] for one in each]) for k in range(length)]

    @property
    def shortfalls(self) -> dict[str, int]:
        """Talks whose calls, and whose tokens, the samples did not reach, for their limit."""
        found = {by: sum(_is_short(one, by) for one in self.talks) for by in ("calls", "tokens")}
        return {by: count for by, count in found.items() if count}


KINDS: tuple[Failed, Failed] = ("wrong", "left out")


def findings(plan: Plan, found: Sequence[Outcome]) -> list[Findings]:
    """What follows, condition by condition."""
    every = [one for one in together(found) if one.talk.standing]
    return [Findings(plan, cell.label, [one for one in every if one.talk.trial.cell == cell]) for cell in cells(plan)]


def unit(of: TalkWithArms, arms: Sequence[str]) -> Unit:
    """A talk with the credit of each arm that has ended."""
    trial = of.talk.trial
    return Unit(trial.item.id, credits(of, arms), trial.repeat, "-".join(trial.swap))


def _has(unit: Unit, pair: tuple[str, str]) -> bool:
    return all(arm in unit.credit for arm in pair)


def _steps_of(own: Positions, talk: Positions) -> Positions:
    """Positions at the ends alone, where those of the talk were asked at its ends alone."""
    if talk.times > 2 or own.times <= 2:
        return own
    ends = {name: [row[0], row[-1]] for name, row in own.declared.items()}
    return Positions(own.item, ends, own.truth, own.options, own.tolerance, own.midpoint)


def _padded(run: Positions, times: int) -> Positions:
    def longer(row: Sequence[Declared | None]) -> list[Declared | None]:
        return [*row, *[row[-1]] * (times - len(row))]

    declared = {name: longer(row) for name, row in run.declared.items()}
    return Positions(run.item, declared, run.truth, run.options, run.tolerance, run.midpoint)


def _each(runs: Sequence[Positions], of: Callable[[Positions], float | None]) -> Values:
    values: Values = {}
    for run in runs:
        if (value := of(run)) is not None:
            values.setdefault(run.item, []).append(value)
    return values


def _largest(run: Positions, time: int) -> float | None:
    answers = run.answers(time)
    return len(clusters(answers, run.tolerance)[0]) / len(answers) if answers else None


def _spoken(of: TalkWithArms) -> Mapping[str, float]:
    """Tokens of each participant's statements, those of tries that brought none left out."""
    if not of.talk.done or of.talk.document is None:
        return {}
    counts = dict.fromkeys(of.seats, 0.0)
    for call in of.talk.document["calls"]:
        if call["purpose"] == "statement" and call["outcome"] == "ok" and call["who"] in counts:
            counts[call["who"]] += call["output_tokens"]
    return counts


def _curve(of: TalkWithArms, seed: int) -> list[tuple[float, float, float, float | None]]:
    """Accuracy at k samples of one talk, with what k of them take on average."""
    drawn = samples(of)
    question = question_of(of.rules) if of.rules else None
    truth = truth_of(of.talk.trial.item, question) if question else None
    answers = [answer for one in drawn for answer in one.winners or ()]
    if question is None or truth is None or not answers:
        return []
    whole, n = added([one.spent for one in drawn]), len(drawn)
    found = accuracy_at(answers, truth, seed=seed, purpose=[of.talk.trial.run], tolerance=question.tolerance)
    cost = None if whole.cost is None else whole.cost / n
    each = (whole.calls / n, whole.tokens / n)
    return [(k * each[0], k * each[1], one, None if cost is None else k * cost) for k, one in enumerate(found, 1)]


def _mean_point(points: Sequence[tuple[float, float, float, float | None]]) -> tuple[float, float, float, float | None]:
    costs = [one[3] for one in points]
    cost = None if None in costs else fmean(one for one in costs if one is not None)
    return fmean(one[0] for one in points), fmean(one[1] for one in points), fmean(one[2] for one in points), cost


def _is_short(of: TalkWithArms, by: str) -> bool:
    drawn, talk = samples(of), of.talk.document
    taken = sum(one.spent.calls if by == "calls" else one.spent.tokens for one in drawn)
    return bool(drawn) and talk is not None and taken < talk["totalCalls" if by == "calls" else "totalTokens"]
