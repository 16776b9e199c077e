"""The part of an experiment's report that says what talking did, condition by condition."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...report.chart import LineChart
from ..statistics import difference, mean
from ..words import say
from .figure import NOTHING, told
from .findings import Findings
from .pictures import FlipPicture, Scatter, against, flip_picture, rounds
from .task_scores import task_scores


@dataclass(frozen=True)
class Pictures:
    """What is drawn of one condition."""

    spends: list[Scatter]
    flips: FlipPicture | None
    rounds: LineChart | None


def pictures(found: Findings) -> Pictures:
    """The pictures there is something for."""
    spends = [one for by in ("calls", "tokens", "cost") if (one := against(found, by))] if found.graded else []
    flips = flip_picture(found.plan, found.flips) if found.flips else None
    return Pictures(spends, flips, rounds(found.plan, found.moments))


def figures(found: Findings) -> list[tuple[str, str]]:
    """Measures of the talk with their figures, those there is something for."""
    rows = [*_flips(found), *_followed(found), *_spread(found)]
    rows += [(name, told(one, 1)) for name, one in found.opinion.items()]
    named = [(say(found.plan, f"figures.{name}"), figure) for name, figure in rows]
    return [(name, figure) for name, figure in named + task_scores(found.plan, found.talks) if figure != NOTHING]


def _flips(found: Findings) -> list[tuple[str, str]]:
    flips, drifts = found.flips, [one.drift for one in found.moments if one.drift]
    if flips is None:
        return []
    return [
        ("corrected", told(mean(flips.corrected), least=0)),
        ("corrupted", told(mean(flips.corrupted), least=0)),
        ("net", told(mean(flips.net))),
        ("unanswered", str(flips.unanswered)),
        ("drift", told(drifts[-1]) if drifts else NOTHING),
        ("oracle", told(found.oracle_gap) if found.oracle_gap else NOTHING),
    ]


def _followed(found: Findings) -> list[tuple[str, str]]:
    own, alone = found.conformity
    rows = [("conformity", told(mean(own.rate), least=0))]
    if alone is not None:
        rows.append(("excess", told(difference(own.rate, alone.rate))))
    if found.graded:
        rows.append(("harmful", told(mean(own.harmful), least=0)))
    return [*rows, ("tied", str(own.tied))]


def _spread(found: Findings) -> list[tuple[str, str]]:
    ends = [("first", found.moments[0]), ("last", found.moments[-1])] if found.moments else []
    alphas = zip(("first", "last"), found.alpha, strict=True)
    return [
        *((f"entropy_{when}", told(one.diversity, 1, 0)) for when, one in ends),
        *((f"simpson_{when}", told(one.simpson, least=0)) for when, one in ends),
        *((f"alpha_{when}", NOTHING if one is None else f"{one:.3f}") for when, one in alphas),
        ("gini", told(found.voice, 1, 0)),
    ]


def by_condition(found: Sequence[Findings]) -> list[tuple[Findings, Pictures, list[tuple[str, str]]]]:
    """Each condition that has begun, with what is drawn and told of it."""
    return [(one, pictures(one), figures(one)) for one in found if one.talks]
