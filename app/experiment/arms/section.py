"""The part of an experiment's report that says what talking did, condition by condition."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...report.chart import LineChart
from ..statistics import difference, mean
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
    flips = flip_picture(found.flips) if found.flips else None
    return Pictures(spends, flips, rounds(found.moments))


def figures(found: Findings) -> list[tuple[str, str]]:
    """Measures of the talk with their figures, those there is something for."""
    rows = [*_flips(found), *_followed(found), *_spread(found)]
    rows += [(f"opinion, {name.replace('_', ' ')}", told(one, 1)) for name, one in found.opinion.items()]
    rows += task_scores(found.plan, found.talks)
    return [(name, figure) for name, figure in rows if figure != NOTHING]


def _flips(found: Findings) -> list[tuple[str, str]]:
    flips, drifts = found.flips, [one.drift for one in found.moments if one.drift]
    if flips is None:
        return []
    return [
        ("wrong first answers corrected, %", told(mean(flips.corrected), least=0)),
        ("right first answers corrupted, %", told(mean(flips.corrupted), least=0)),
        ("net of both, points", told(mean(flips.net))),
        ("first or last answer missing, participants", str(flips.unanswered)),
        ("drift: share right at the end − at first, points", told(drifts[-1]) if drifts else NOTHING),
        ("some member right − plurality right, points", told(found.oracle_gap) if found.oracle_gap else NOTHING),
    ]


def _followed(found: Findings) -> list[tuple[str, str]]:
    own, alone = found.conformity
    rows = [("conformity: went over to the others' mode, %", told(mean(own.rate), least=0))]
    if alone is not None:
        rows.append(("beyond that of thinking again alone, points", told(difference(own.rate, alone.rate))))
    if found.graded:
        rows.append(("harmful part: from right to a wrong mode, %", told(mean(own.harmful), least=0)))
    return [*rows, ("steps left out, the others' mode tied", str(own.tied))]


def _spread(found: Findings) -> list[tuple[str, str]]:
    first, last = found.alpha
    spread = [("first", found.moments[0]), ("last", found.moments[-1])] if found.moments else []
    return [
        *((f"entropy of {when} answers, 0 to 1", told(one.diversity, 1, 0)) for when, one in spread),
        *(
            (f"Simpson's diversity of {when} answers: two members differ, %", told(one.simpson, least=0))
            for when, one in spread
        ),
        ("Krippendorff's alpha of first answers", NOTHING if first is None else f"{first:.3f}"),
        ("Krippendorff's alpha of last answers", NOTHING if last is None else f"{last:.3f}"),
        ("inequality of voice (Gini, 0 to 1)", told(found.voice, 1, 0)),
    ]


def by_condition(found: Sequence[Findings]) -> list[tuple[Findings, Pictures, list[tuple[str, str]]]]:
    """Each condition that has begun, with what is drawn and told of it."""
    return [(one, pictures(one), figures(one)) for one in found if one.talks]
