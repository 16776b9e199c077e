"""Sections of an experiment's report on the effect of the talk, one for each condition."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...report.chart import LineChart
from ..statistics import estimate_difference, estimate_mean
from ..wording import translate_for_plan
from .figure import NO_FIGURE, format_estimate
from .findings import Findings
from .pictures import FlipPicture, Scatter, draw_flips, draw_rounds, draw_scatter
from .task_scores import list_task_scores


@dataclass(frozen=True)
class Pictures:
    """Charts of one condition."""

    spends: list[Scatter]
    flips: FlipPicture | None
    rounds: LineChart | None


def draw_pictures(findings: Findings) -> Pictures:
    """Draw the charts for which the findings have data."""
    spends = (
        [scatter for measure in ("calls", "tokens", "cost") if (scatter := draw_scatter(findings, measure))]
        if findings.graded
        else []
    )
    flips = draw_flips(findings.plan, findings.flips) if findings.flips else None
    return Pictures(spends, flips, draw_rounds(findings.plan, findings.moments))


def list_figures(findings: Findings) -> list[tuple[str, str]]:
    """Return the names and figures of the talk's measures; measures without a figure are left out."""
    rows = [*_list_flip_figures(findings), *_list_conformity_figures(findings), *_list_spread_figures(findings)]
    rows += [(name, format_estimate(estimate, 1)) for name, estimate in findings.opinion.items()]
    labelled_rows = [(translate_for_plan(findings.plan, f"figures.{name}"), figure) for name, figure in rows]
    return [
        (name, figure)
        for name, figure in labelled_rows + list_task_scores(findings.plan, findings.talks)
        if figure != NO_FIGURE
    ]


def _list_flip_figures(findings: Findings) -> list[tuple[str, str]]:
    flips, drifts = findings.flips, [moment.drift for moment in findings.moments if moment.drift]
    if flips is None:
        return []
    return [
        ("corrected", format_estimate(estimate_mean(flips.corrected), minimum=0)),
        ("corrupted", format_estimate(estimate_mean(flips.corrupted), minimum=0)),
        ("net", format_estimate(estimate_mean(flips.net))),
        ("unanswered", str(flips.unanswered)),
        ("drift", format_estimate(drifts[-1]) if drifts else NO_FIGURE),
        ("oracle", format_estimate(findings.oracle_gap) if findings.oracle_gap else NO_FIGURE),
    ]


def _list_conformity_figures(findings: Findings) -> list[tuple[str, str]]:
    talk_conformity, alone_conformity = findings.conformity
    rows = [("conformity", format_estimate(estimate_mean(talk_conformity.rate), minimum=0))]
    if alone_conformity is not None:
        rows.append(("excess", format_estimate(estimate_difference(talk_conformity.rate, alone_conformity.rate))))
    if findings.graded:
        rows.append(("harmful", format_estimate(estimate_mean(talk_conformity.harmful), minimum=0)))
    return [*rows, ("tied", str(talk_conformity.tied))]


def _list_spread_figures(findings: Findings) -> list[tuple[str, str]]:
    end_moments = [("first", findings.moments[0]), ("last", findings.moments[-1])] if findings.moments else []
    alphas = zip(("first", "last"), findings.alpha, strict=True)
    return [
        *((f"entropy_{when}", format_estimate(moment.diversity, 1, 0)) for when, moment in end_moments),
        *((f"simpson_{when}", format_estimate(moment.simpson, minimum=0)) for when, moment in end_moments),
        *((f"alpha_{when}", NO_FIGURE if alpha is None else f"{alpha:.3f}") for when, alpha in alphas),
        ("gini", format_estimate(findings.speaking_gini, 1, 0)),
    ]


def build_sections(conditions: Sequence[Findings]) -> list[tuple[Findings, Pictures, list[tuple[str, str]]]]:
    """Return each condition that has begun, with its charts and figures."""
    return [(findings, draw_pictures(findings), list_figures(findings)) for findings in conditions if findings.talks]
