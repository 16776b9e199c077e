"""Geometry of the charts in an experiment's report; the template draws them as inline SVG, 360 units wide."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...report.chart import (
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
)
from ..measures import Flips, Spend
from ..plan import Plan
from ..wording import translate_for_plan
from .findings import Findings
from .movement import Moment

PLOT_WIDTH = CHART_WIDTH - MARGIN_LEFT - MARGIN_RIGHT - 10
QUARTERS = [0.0, 0.25, 0.5, 0.75, 1.0]


@dataclass(frozen=True)
class Dot:
    """One arm: its point, the ends of its interval, and its number in the legend."""

    label: str
    number: int
    x: float
    y: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Scatter:
    """Accuracy against spend."""

    title: str
    description: str
    dots: list[Dot]
    curve: str
    """Points of the curve of more and more samples."""
    across: list[Tick]
    up: list[Tick]
    axis: str


@dataclass(frozen=True)
class Band:
    """Participants who moved from one answer to another, as a band between the two columns."""

    kind: str
    points: str
    label: str
    label_y: float


@dataclass(frozen=True)
class SideLabel:
    """Label of a group of participants at the end of its bands."""

    text: str
    x: float
    y: float
    anchor: str


@dataclass(frozen=True)
class FlipPicture:
    """First answers on the left, last ones on the right, right answers on top."""

    title: str
    description: str
    bands: list[Band]
    sides: list[SideLabel]


def draw_scatter(findings: Findings, measure: str) -> Scatter | None:
    """Draw accuracy against `calls`, `tokens` or `cost`, or return `None` if one spend is unknown."""
    spend_by_arm = {row.arm: _get_amount(row.spent, measure) for row in findings.arms}
    if not spend_by_arm or None in spend_by_arm.values():
        return None
    known_spend_by_arm = {arm: amount for arm, amount in spend_by_arm.items() if amount is not None}
    curve = [(point[{"calls": 0, "tokens": 1, "cost": 3}[measure]], point[2]) for point in findings.curve]
    max_spend = max([*known_spend_by_arm.values(), *(x for x, _ in curve if x is not None)]) or 1
    dots = [
        Dot(
            label=translate_for_plan(
                findings.plan,
                "pictures.dot",
                arm=translate_for_plan(findings.plan, f"arms.{row.arm}"),
                share=_format_percent(row.as_wrong.value),
                spent=_format_number(known_spend_by_arm[row.arm]),
            ),
            number=number,
            x=_scale_x(known_spend_by_arm[row.arm] / max_spend),
            y=_scale_y(row.as_wrong.value or 0),
            low=None if row.as_wrong.low is None else _scale_y(row.as_wrong.low),
            high=None if row.as_wrong.high is None else _scale_y(row.as_wrong.high),
        )
        for number, row in enumerate(findings.arms, 1)
    ]
    return Scatter(
        title=translate_for_plan(findings.plan, f"pictures.against_{measure}"),
        description=translate_for_plan(findings.plan, "opening.between").join(dot.label for dot in dots),
        dots=dots,
        curve=" ".join(f"{_scale_x(x / max_spend)},{_scale_y(y)}" for x, y in curve if x is not None),
        across=[Tick(_scale_x(share), _format_number(share * max_spend)) for share in (0.0, 0.5, 1.0)],
        up=[Tick(_scale_y(share), f"{100 * share:g} %") for share in QUARTERS],
        axis=translate_for_plan(findings.plan, f"heads.{'money' if measure == 'cost' else measure}"),
    )


def _get_amount(spend: Spend, measure: str) -> float | None:
    amount: float | None = getattr(spend, measure)
    return amount


def _scale_x(share: float) -> float:
    return round(MARGIN_LEFT + 5 + PLOT_WIDTH * share, 1)


def _scale_y(share: float) -> float:
    clamped_share = min(1.0, max(0.0, share))
    return round(CHART_HEIGHT - MARGIN_BOTTOM - clamped_share * (CHART_HEIGHT - MARGIN_TOP - MARGIN_BOTTOM), 1)


def _format_number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _format_percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %"


LEFT_EDGE, RIGHT_EDGE, BAND_HEIGHT, GROUP_GAP = 96, 264, 150, 22
FIRST_GROUPS = ("stayed right", "corrupted"), ("corrected", "stayed wrong")
LAST_GROUPS = ("stayed right", "corrected"), ("corrupted", "stayed wrong")


def draw_flips(plan: Plan, flips: Flips) -> FlipPicture | None:
    """Draw the changes from first to last answers as bands; `None` if no participant answered twice."""
    counts = {"stayed right": flips.n11, "corrupted": flips.n10, "corrected": flips.n01, "stayed wrong": flips.n00}
    total = sum(counts.values())
    if not total:
        return None
    first_starts, last_starts = _compute_band_starts(counts, FIRST_GROUPS), _compute_band_starts(counts, LAST_GROUPS)
    bands = []
    for kind, count in counts.items():
        height, left_y, right_y = BAND_HEIGHT * count / total, first_starts[kind], last_starts[kind]
        corners = [
            (LEFT_EDGE, left_y),
            (RIGHT_EDGE, right_y),
            (RIGHT_EDGE, right_y + height),
            (LEFT_EDGE, left_y + height),
        ]
        points = " ".join(f"{x},{round(y, 1)}" for x, y in corners)
        if count:
            label = translate_for_plan(
                plan, "pictures.band", kind=translate_for_plan(plan, f"pictures.{kind}"), count=count
            )
            bands.append(Band(kind, points, label, round((left_y + right_y + height) / 2 + 4, 1)))
    sides = [
        *_build_side_labels(plan, counts, FIRST_GROUPS, first_starts, "first", LEFT_EDGE - 6),
        *_build_side_labels(plan, counts, LAST_GROUPS, last_starts, "last", RIGHT_EDGE + 6),
    ]
    band_texts = [
        translate_for_plan(plan, "pictures.band", kind=translate_for_plan(plan, f"pictures.{kind}"), count=band_count)
        for kind, band_count in counts.items()
    ]
    description = translate_for_plan(
        plan, "pictures.flips_about", total=total, parts=translate_for_plan(plan, "opening.between").join(band_texts)
    )
    return FlipPicture(translate_for_plan(plan, "pictures.flips"), description, bands, sides)


def _compute_band_starts(counts: dict[str, int], groups: Sequence[Sequence[str]]) -> dict[str, float]:
    """Return the upper edge of each band on one side: right answers on top, a gap, wrong answers below."""
    starts, y, total = {}, 20.0, sum(counts.values())
    for group in groups:
        for kind in group:
            starts[kind] = y
            y += BAND_HEIGHT * counts[kind] / total
        y += GROUP_GAP
    return starts


def _build_side_labels(
    plan: Plan, counts: dict[str, int], groups: Sequence[Sequence[str]], starts: dict[str, float], when: str, x: float
) -> list[SideLabel]:
    labels, total = [], sum(counts.values())
    for name, group in zip(("right", "wrong"), groups, strict=True):
        count = sum(counts[kind] for kind in group)
        middle_y = starts[group[0]] + BAND_HEIGHT * count / total / 2
        label = translate_for_plan(plan, f"pictures.{name}_{when}", count=count)
        labels.append(SideLabel(label, x, round(middle_y + 4, 1), "end" if when == "first" else "start"))
    return labels


def draw_rounds(plan: Plan, moments: Sequence[Moment]) -> LineChart | None:
    """Draw accuracy, diversity and agreement by moment, or return `None` with fewer than two moments."""
    if len(moments) < 2:
        return None
    series: dict[str, list[float | None]] = {}
    if all(moment.accuracy for moment in moments):
        series[translate_for_plan(plan, "pictures.accuracy")] = [
            moment.accuracy.value if moment.accuracy else None for moment in moments
        ]
    series[translate_for_plan(plan, "pictures.diversity")] = [moment.diversity.value for moment in moments]
    series[translate_for_plan(plan, "pictures.agreement")] = [moment.agreement.value for moment in moments]
    moment_names = [
        translate_for_plan(plan, f"pictures.{moment.name}") if moment.name in ("before", "after") else moment.name
        for moment in moments
    ]
    axes = Axes(moment_names, translate_for_plan(plan, "pictures.round"), 0, 1, QUARTERS)
    description = "; ".join(f"{name}: {', '.join(map(_format_percent, values))}" for name, values in series.items())
    return build_line_chart(translate_for_plan(plan, "pictures.rounds"), description, axes, series)
