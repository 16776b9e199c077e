"""Geometry of small charts, drawn by the template as inline SVG.

Units are those of the viewBox, 360 wide.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .blocks import Bar, BarChart, ChartLine, LineChart, Segment, Share, Strip, Tick, choose_decimals, format_figure

CHART_WIDTH, CHART_HEIGHT = 360, 210
MARGIN_LEFT, MARGIN_RIGHT, MARGIN_TOP, MARGIN_BOTTOM = 42, 14, 12, 40
BAR_HEIGHT, BAR_GAP, SIGN_WIDTH, LABEL_HEIGHT, FIGURE_WIDTH = 16, 10, 24, 18, 72
LETTER_WIDTH = 10
"""Width of a letter in a strip."""
BAR_LABEL_LIMIT = 24
"""Maximum characters of a name above a bar. Even the widest letters then fit."""


@dataclass(frozen=True)
class Axes:
    """Axes of a line chart: names of the steps, values from `low` at the bottom to `high` at the top."""

    steps: Sequence[str]
    name: str
    low: float
    high: float
    ticks: Sequence[float]
    threshold: float | None = None

    def compute_x(self, index: int) -> float:
        """Compute the x of a step by its index, from 0. A single step stands in the middle."""
        span = CHART_WIDTH - MARGIN_LEFT - MARGIN_RIGHT - 20
        return round(MARGIN_LEFT + 10 + (span / 2 if len(self.steps) < 2 else span * index / (len(self.steps) - 1)), 1)

    def compute_y(self, value: float) -> float:
        """Compute the y of a value."""
        share = (value - self.low) / (self.high - self.low)
        return round(CHART_HEIGHT - MARGIN_BOTTOM - share * (CHART_HEIGHT - MARGIN_TOP - MARGIN_BOTTOM), 1)


def build_line_chart(
    title: str, description: str, axes: Axes, series: Mapping[str, Sequence[float | None]]
) -> LineChart:
    """Build a line chart from series by name. Their order determines the colors.

    Each series has a value or `None` for each step. The line passes over steps without a value, which have no point.
    """
    lines = []
    for colour, (name, values) in enumerate(series.items()):
        heights = [(axes.compute_x(index), value) for index, value in enumerate(values)]
        points = [(x, axes.compute_y(value)) for x, value in heights if value is not None]
        lines.append(ChartLine(name, colour, " ".join(f"{x},{y}" for x, y in points), points))
    tick_interval = max(1, -(-len(axes.steps) // 10))
    return LineChart(
        title=title,
        description=description,
        lines=lines,
        x_ticks=[
            Tick(axes.compute_x(index), step) for index, step in enumerate(axes.steps) if index % tick_interval == 0
        ],
        y_ticks=[Tick(axes.compute_y(value), f"{value:g}".replace("-", "−")) for value in axes.ticks],
        axis=axes.name,
        threshold=None if axes.threshold is None else Tick(axes.compute_y(axes.threshold), f"{axes.threshold:g}"),
    )


def build_bar_chart(
    title: str, description: str, totals: Mapping[str, float], winners: Sequence[str], full_value: float = 0
) -> BarChart:
    """Build a chart with one bar for each option, as long as its total. `winners` are marked.

    `full_value`: value of a bar of full length, or 0 for the largest value.
    """
    highest_total = max([*totals.values(), full_value]) or 1
    has_signs = all(len(name) < 3 for name in totals)
    bar_x, label_height = (SIGN_WIDTH, 0) if has_signs else (0, LABEL_HEIGHT)
    bar_step, decimals = label_height + BAR_HEIGHT + BAR_GAP, choose_decimals(totals.values())
    bars = [
        Bar(
            label=name if len(name) <= BAR_LABEL_LIMIT else name[: BAR_LABEL_LIMIT - 1] + "…",
            label_y=BAR_GAP + index * bar_step + 12,
            top=BAR_GAP + index * bar_step + label_height,
            length=round(max(0.0, (CHART_WIDTH - bar_x - FIGURE_WIDTH) * total / highest_total), 1),
            text=str(format_figure(total, decimals)),
            winner=name in winners,
        )
        for index, (name, total) in enumerate(totals.items())
    ]
    return BarChart(title, description, bars, BAR_GAP + len(bars) * bar_step, bar_x)


def build_strip(title: str, description: str, shares: Sequence[Share]) -> Strip:
    """Build a strip of shares over the whole width, each as wide as its count.

    At least one count must be above 0.
    """
    total = sum(share.count for share in shares)
    decimals = choose_decimals(share.count for share in shares)
    segments: list[Segment] = []
    x = 0.0
    for share in shares:
        width = CHART_WIDTH * share.count / total
        figure = str(format_figure(share.count, decimals))
        texts = (f"{share.sign} · {figure}" if share.sign else figure, figure, "")
        text = next(candidate for candidate in texts if LETTER_WIDTH * len(candidate) <= width)
        if share.count:
            segments.append(Segment(share, round(x, 1), round(width, 1), text, len(segments) % 2))
        x += width
    return Strip(title, description, segments, [(share, str(format_figure(share.count, decimals))) for share in shares])
