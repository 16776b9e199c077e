"""Geometry of the charts in an experiment's report, which templates draw as inline SVG.

Charts are 360 units wide.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ...report import (
    CHART_HEIGHT,
    CHART_WIDTH,
    MARGIN_BOTTOM,
    MARGIN_LEFT,
    MARGIN_RIGHT,
    MARGIN_TOP,
    Axes,
    LineChart,
    Tick,
    build_line_chart,
    format_rounded,
    format_tick,
    list_ticks,
    place_on_axis,
)
from ..measures import Flips
from ..plan import Plan
from ..statistics import IntervalEstimate, format_estimate, format_gain
from .findings import Findings, Moment

DOT_GAP = 9
"""Least distance of two dots, so that no interval hides another."""
QUARTERS = [0.0, 0.25, 0.5, 0.75, 1.0]
LEFT_EDGE, RIGHT_EDGE, BAND_HEIGHT, GROUP_GAP = 96, 264, 150, 22
SIDES = (
    ("first", LEFT_EDGE - 6, "end", [("stayed right", "corrupted"), ("corrected", "stayed wrong")]),
    ("last", RIGHT_EDGE + 6, "start", [("stayed right", "corrected"), ("corrupted", "stayed wrong")]),
)
"""Side of the bands: time, place and anchor of its labels, and the kinds of change, right ones first."""


def draw_scatter(findings: Findings, measure: str) -> dict[str, Any] | None:
    """Return the chart of accuracy against `calls`, `tokens` or `cost`; `None` if one of these is unknown.

    `measure`: the horizontal axis. Each arm is a dot with its interval, numbered in the order of cost. Dots that would
    overlap stand side by side. The curve shows increasing numbers of samples.
    """
    plan = findings.plan
    spend_by_arm: dict[str, Any] = {row.arm: getattr(row.spent, measure) for row in findings.arms}
    if not spend_by_arm or None in spend_by_arm.values():
        return None
    index = {"calls": 0, "tokens": 1, "cost": 3}[measure]
    curve = [(spend, point[2]) for point in findings.curve if (spend := point[index]) is not None]
    ticks = list_ticks(0, max([*spend_by_arm.values(), *(spend for spend, _ in curve)]))

    def scale_x(spend: float) -> float:
        return place_on_axis(spend, ticks, MARGIN_LEFT + 5, CHART_WIDTH - MARGIN_RIGHT - 15)

    dots, last_x = list[dict[str, Any]](), 0.0
    for row in sorted(findings.arms, key=lambda row: spend_by_arm[row.arm]):
        estimate, spend = row.as_wrong, spend_by_arm[row.arm]
        last_x = max(scale_x(spend), last_x + DOT_GAP)
        dots.append(
            {
                "label": plan.translate(
                    "pictures.dot",
                    arm=plan.translate(f"arms.{row.arm}"),
                    share=_format_percent(estimate.value),
                    spent=format_rounded(spend),
                ),
                "number": len(dots) + 1,
                "x": last_x,
                "y": _scale_y(estimate.value or 0),
                "low": None if estimate.low is None else _scale_y(estimate.low),
                "high": None if estimate.high is None else _scale_y(estimate.high),
            }
        )
    return {
        "title": plan.translate(f"pictures.against_{measure}"),
        "description": plan.translate("opening.between").join(dot["label"] for dot in dots),
        "dots": dots,
        "is_moved": any(right["x"] - left["x"] < DOT_GAP + 0.01 for left, right in pairwise(dots)),
        "curve": " ".join(f"{scale_x(spend)},{_scale_y(accuracy)}" for spend, accuracy in curve),
        "across": [Tick(scale_x(value), format_tick(value)) for value in ticks],
        "up": [Tick(_scale_y(share), f"{100 * share:g} %") for share in QUARTERS],
        "axis": plan.translate(f"heads.{'money' if measure == 'cost' else measure}"),
    }


def _scale_y(share: float) -> float:
    return place_on_axis(min(1.0, max(0.0, share)), QUARTERS, CHART_HEIGHT - MARGIN_BOTTOM, MARGIN_TOP)


def _format_percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"


def draw_flips(plan: Plan, flips: Flips) -> dict[str, Any] | None:
    """Return the chart of changes from first to last answers, as bands.

    First answers are on the left, last answers on the right. Right answers are at the top. Return `None` if
    participants answered only once.
    """
    counts = {"stayed right": flips.n11, "corrupted": flips.n10, "corrected": flips.n01, "stayed wrong": flips.n00}
    total = sum(counts.values())
    if not total:
        return None
    unit, starts, sides = BAND_HEIGHT / total, dict[tuple[str, str], float](), list[dict[str, Any]]()
    for when, x, anchor, groups in SIDES:
        y = 20.0
        for name, group in zip(("right", "wrong"), groups, strict=True):
            count = sum(counts[kind] for kind in group)
            sides.append(
                {
                    "text": plan.translate(f"pictures.{name}_{when}", count=count),
                    "x": x,
                    "y": round(y + unit * count / 2 + 4, 1),
                    "anchor": anchor,
                }
            )
            for kind in group:
                starts[when, kind] = y
                y += unit * counts[kind]
            y += GROUP_GAP
    labels = {
        kind: plan.translate("pictures.band", kind=plan.translate(f"pictures.{kind}"), count=count)
        for kind, count in counts.items()
    }
    bands = []
    for kind, count in counts.items():
        left_y, right_y, height = starts["first", kind], starts["last", kind], unit * count
        corners = [(LEFT_EDGE, left_y), (RIGHT_EDGE, right_y), (RIGHT_EDGE, right_y + height)]
        points = " ".join(f"{x},{round(y, 1)}" for x, y in [*corners, (LEFT_EDGE, left_y + height)])
        # A quarter of the way: in the middle, two bands that cross have the same height.
        label_y = round((3 * left_y + right_y) / 4 + height / 2 + 4, 1)
        bands += [{"kind": kind, "points": points, "label": labels[kind], "label_y": label_y}] * bool(count)
    description = plan.translate(
        "pictures.flips_about", total=total, parts=plan.translate("opening.between").join(labels.values())
    )
    return {"title": plan.translate("pictures.flips"), "description": description, "bands": bands, "sides": sides}


def draw_rounds(plan: Plan, moments: Sequence[Moment]) -> LineChart | None:
    """Return the chart of accuracy, entropy and majority over time; `None` with fewer than two times."""
    if len(moments) < 2:
        return None
    series: dict[str, list[float | None]] = {}
    for measure in ("accuracy", "entropy", "majority"):
        estimates = [getattr(moment, measure) for moment in moments]
        if None not in estimates:
            series[plan.translate(f"pictures.{measure}")] = [estimate.value for estimate in estimates]
    moment_names = [
        plan.translate(f"pictures.{moment.name}") if moment.name in ("before", "after") else moment.name
        for moment in moments
    ]
    return build_line_chart(
        plan.translate("pictures.rounds" if len(moments) > 2 else "pictures.before_after"),
        "; ".join(f"{name}: {', '.join(map(_format_percent, values))}" for name, values in series.items()),
        Axes(moment_names, plan.translate("pictures.round"), 0, 1),
        series,
    )


LABEL_WIDTH, DOT_WIDTH, ROW_HEIGHT, FIGURE_HEIGHT_MARGIN = 190, 220, 26, 22


class EstimateRow(NamedTuple):
    """Row of a chart: label, figure with its interval, and a text at the right end, such as the cost.

    `is_marked`: whether the row shows the main subject of the chart.
    """

    label: str
    estimate: IntervalEstimate
    text: str = ""
    is_marked: bool = False


def draw_estimates(
    title: str,
    rows: Sequence[EstimateRow],
    differences: Sequence[EstimateRow],
    *,
    margin: float | None = None,
    is_share: bool = True,
    chance: float | None = None,
    note: str = "",
    band_note: str = "",
) -> dict[str, Any] | None:
    """Return a chart with a dot and interval for each figure and each difference; `None` without rows.

    The scale of the differences has zero in the middle, with a band of ±`margin`. `is_share`: whether figures are
    shares. `chance`: place of a dashed line over the figures. `note`, `band_note`: texts under the title and the band.
    """
    rows = [row for row in rows if row.estimate.value is not None]
    differences = [row for row in differences if row.estimate.value is not None]
    if not rows:
        return None
    scale = 100 if is_share else 1
    level_ends = [
        *(max(0.0, min(1.0, end)) if is_share else end for row in rows for end in _list_ends(row.estimate)),
        *([] if chance is None else [chance]),
    ]
    level_ticks = list_ticks(scale * min(level_ends), scale * max(level_ends))
    max_distance = max([abs(end) for row in differences for end in _list_ends(row.estimate)], default=0.0)
    max_distance = scale * max(min(1.0, max_distance) if is_share else max_distance, 2 * (margin or 0)) or 1.0
    change_ticks = list_ticks(-max_distance, max_distance)
    lower_start = len(rows) + 1
    levels = _place_rows(rows, level_ticks, 0, is_share, "" if not is_share else "%")
    changes = _place_rows(differences, change_ticks, lower_start, is_share, "" if not is_share else "points")
    bottom, unit = ROW_HEIGHT * (lower_start + len(changes)), " %" if is_share else ""
    band = None
    if margin and differences:
        band_start, band_end = (_scale_dot(100 * end, change_ticks) for end in (-margin, margin))
        band = {"x": band_start, "width": round(band_end - band_start, 1), "note": band_note}
    return {
        "title": title,
        "note": note,
        "description": "; ".join(f"{row['label']}: {row['figure']}" for row in [*levels, *changes]),
        "rows": [*levels, *changes],
        "ticks": [Tick(_scale_dot(value, level_ticks), f"{format_tick(value)}{unit}") for value in level_ticks],
        "chance": None if chance is None else _scale_dot(scale * chance, level_ticks),
        "tick_y": ROW_HEIGHT * len(levels) + 14,
        "zero": _scale_dot(0, change_ticks) if changes else None,
        "band": band,
        "lower": {"top": ROW_HEIGHT * lower_start, "bottom": bottom},
        "height": bottom + FIGURE_HEIGHT_MARGIN * (2 if band else 1) if changes else ROW_HEIGHT * lower_start,
        "ends": [
            Tick(_scale_dot(value, change_ticks), f"{'+' * (value > 0)}{format_tick(value)}") for value in change_ticks
        ],
    }


def _list_ends(estimate: IntervalEstimate) -> list[float]:
    return [end for end in (estimate.value, estimate.low, estimate.high) if end is not None]


def _place_rows(
    rows: Sequence[EstimateRow], ticks: Sequence[float], start: int, is_share: bool, unit: str
) -> list[dict[str, Any]]:
    placed_rows, scale = [], 100 if is_share else 1
    for number, row in enumerate(rows, start):
        x, *interval = (_scale_dot(scale * end, ticks) for end in _list_ends(row.estimate))
        figure = format_estimate(row.estimate, scale, 0.0 if is_share and not start else None)
        if start and is_share:
            figure = format_gain(row.estimate)
        ends = {"low": interval[0] if interval else x, "high": interval[-1] if interval else x}
        place = {"x": x, "y": ROW_HEIGHT * number + 16, "kind": "difference" if start else "marked" * row.is_marked}
        placed_rows.append({"label": row.label, "figure": figure, "unit": unit, "text": row.text} | place | ends)
    return placed_rows


def _scale_dot(value: float, ticks: Sequence[float]) -> float:
    return place_on_axis(max(ticks[0], min(ticks[-1], value)), ticks, LABEL_WIDTH, LABEL_WIDTH + DOT_WIDTH)
