"""How the participants' answers moved over a talk: time by time, and towards each other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from ..measures import (
    Conformity,
    Declared,
    Positions,
    Values,
    alpha,
    clusters,
    conformity,
    drift,
    entropies,
    simpsons,
)
from ..statistics import Estimate, mean
from .answered import TalkWithArms, positions


@dataclass(frozen=True)
class Moment:
    """One time at which all were asked; runs that had ended by then keep their last answers."""

    name: str
    accuracy: Estimate | None
    diversity: Estimate
    simpson: Estimate
    agreement: Estimate
    drift: Estimate | None


def moments(runs: Sequence[Positions]) -> list[Moment]:
    """Every time all were asked."""
    most = max((one.times for one in runs), default=0)
    held = [_padded(one, most) for one in runs]
    return [_moment(held, time, most) for time in range(most)]


def _moment(runs: Sequence[Positions], time: int, most: int) -> Moment:
    known = [one for one in runs if one.truth is not None]
    name = "before" if time == 0 else "after" if most == 2 else str(time)
    right = _each(known, lambda run: fmean(map(run.right, found)) if (found := run.answers(time)) else None)
    agreed = _each(runs, lambda run: _largest(run, time))
    moved = mean(drift(known, time)) if known and time else None
    spread = mean(entropies(runs, time)), mean(simpsons(runs, time))
    return Moment(name, mean(right) if known else None, *spread, mean(agreed), moved)


def conformities(talks: Sequence[TalkWithArms], runs: Sequence[Positions]) -> tuple[Conformity, Conformity | None]:
    """In the talks, and over the same steps in `alone`, where that was run."""
    pairs = [(positions(one), positions(one, "alone")) for one in talks]
    alone = [_steps_of(own, talk) for talk, own in pairs if own is not None and talk is not None]
    return conformity(runs), conformity(alone) if alone else None


def alpha_at(runs: Sequence[Positions], time: int) -> float | None:
    """Krippendorff's alpha of the participants' answers at a time, over the talks."""
    names = list(dict.fromkeys(name for run in runs for name in run.declared))
    columns = [{name: one.answer for name, one in run.at(time).items()} for run in runs]
    numeric = any(isinstance(one, float) for column in columns for one in column.values())
    rows = [[column.get(name) for column in columns] for name in names]
    return alpha(rows, "interval" if numeric else "nominal") if rows else None


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
