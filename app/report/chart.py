"""Geometry of a report's small charts, which the template draws as inline SVG or as a list of bars.

Units are those of the viewBox, 360 wide.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, floor, log10
from unicodedata import east_asian_width

from .blocks import (
    MISSING,
    Bar,
    BarChart,
    ChartLine,
    Figure,
    LineChart,
    Mark,
    MarkChart,
    MarkRow,
    TableBlock,
    Tick,
    choose_decimals,
    format_figure,
)

CHART_WIDTH, CHART_HEIGHT = 360, 210
MARGIN_LEFT, MARGIN_RIGHT, MARGIN_TOP, MARGIN_BOTTOM = 42, 14, 12, 40
LABEL_WIDTH, LABEL_GAP, LABEL_LIMIT = 100, 14, 8
"""Width for a label, minimum distance between the labels of lines, and maximum number of labeled lines."""
LETTER_WIDTH, WIDE_LETTER_WIDTH = 7.4, 13.0
"""Widths of letters; ideographs and capitals such as W are wide."""


def list_ticks(low: float, high: float) -> list[float]:
    """Return four to seven round numbers that span `low` to `high`, as ticks of an axis.

    They are multiples of 1, 2 or 5 × 10ᵏ.
    """
    low, high = (low, high) if high > low else (low - 1, low + 1)
    exponent = floor(log10(high - low))
    for step in (factor * 10.0**power for power in (exponent, exponent - 1) for factor in (5, 2, 1)):
        first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
        if last - first >= 3:
            break
    return [round(number * step, 12) for number in range(first, last + 1)]


def format_tick(value: float) -> str:
    """Return the text of a number on an axis, with at most ten significant digits."""
    return f"{value:,.10g}".replace("-", "−")


def format_rounded(value: float) -> str:
    """Return the text of a number with three significant digits."""
    return format_tick(float(f"{value:.3g}"))


def place_on_axis(value: float, ticks: Sequence[float], start: float, end: float) -> float:
    """Return the position of a value on an axis.

    `start`, `end`: positions of the first and the last of `ticks`.
    """
    return round(start + (end - start) * (value - ticks[0]) / (ticks[-1] - ticks[0]), 1)


def clip_label(text: str, room: float = LABEL_WIDTH) -> str:
    """Return a label, cut so that it fits into a width.

    `room`: the width, in units of the chart.
    """
    for index, letter in enumerate(text):
        is_wide = east_asian_width(letter) in "WF" or letter in "MW@mw"
        room -= WIDE_LETTER_WIDTH if is_wide else LETTER_WIDTH
        if room < 0:
            return text[: max(1, index - 1)] + "…"
    return text


@dataclass(frozen=True)
class Axes:
    """Axes of a line chart: names of its steps, and values from `low` at the bottom to `high` at the top."""

    steps: Sequence[str]
    name: str
    low: float
    high: float
    threshold: float | None = None

    @property
    def ticks(self) -> list[float]:
        """Return the values of the vertical axis's ticks, from bottom to top."""
        return list_ticks(self.low, self.high) if self.low <= self.high else list_ticks(self.high, self.low)[::-1]

    def compute_x(self, index: int, right: float) -> float:
        """Compute the horizontal position of a step. A single step stands in the middle.

        `index`: index of the step, from 0. `right`: right end of the axis.
        """
        span = right - MARGIN_LEFT - 20
        return round(MARGIN_LEFT + 10 + (span / 2 if len(self.steps) < 2 else span * index / (len(self.steps) - 1)), 1)

    def compute_y(self, value: float) -> float:
        """Compute the vertical position of a value."""
        return place_on_axis(value, self.ticks, CHART_HEIGHT - MARGIN_BOTTOM, MARGIN_TOP)


def build_line_chart(
    title: str, description: str, axes: Axes, series: Mapping[str, Sequence[float | None]], *, strong: str = ""
) -> LineChart:
    """Build a line chart from series by name. Their order determines the colors.

    Each series has a value or `None` for each step. The line skips steps without a value, which have no point.
    Up to eight names stand at the ends of the lines. `strong`: name of the series that summarizes the others.
    """
    last_values = {name: [value for value in values if value is not None][-1:] for name, values in series.items()}
    labels = {
        name: f"{clip_label(name, LABEL_WIDTH - 5 * LETTER_WIDTH)} {_format_value(last[0], axes)}"
        for name, last in last_values.items()
        if last and len(series) <= LABEL_LIMIT
    }
    right, lines = CHART_WIDTH - (LABEL_WIDTH + 4 if labels else MARGIN_RIGHT), []
    heights = spread_labels({name: axes.compute_y(last_values[name][0]) for name in labels})
    for colour, (name, values) in enumerate(series.items()):
        places = [(axes.compute_x(index, right), value) for index, value in enumerate(values)]
        points = [(x, axes.compute_y(value)) for x, value in places if value is not None]
        path, label = " ".join(f"{x},{y}" for x, y in points), labels.get(name, "")
        lines.append(ChartLine(name, colour, path, points, label, heights.get(name, 0), name == strong))
    tick_interval = max(1, -(-len(axes.steps) // 10))
    rows = [
        [name, *(Figure(MISSING if value is None else _format_value(value, axes)) for value in series[name])]
        for name in series
    ]
    head = ["", *axes.steps]
    if len(series) < len(axes.steps):
        head, *rows = map(list, zip(head, *rows, strict=True))
    return LineChart(
        title=title,
        description=description,
        lines=lines,
        x_ticks=[
            Tick(axes.compute_x(index, right), step)
            for index, step in enumerate(axes.steps)
            if index % tick_interval == 0
        ],
        y_ticks=[Tick(axes.compute_y(value), format_tick(value)) for value in axes.ticks],
        axis=axes.name,
        right=right,
        figures=TableBlock(f"{title} ({axes.name})", head, rows),
        threshold=None if axes.threshold is None else Tick(axes.compute_y(axes.threshold), f"{axes.threshold:g}"),
    )


def _format_value(value: float, axes: Axes) -> str:
    return f"{value:.2f}" if max(map(abs, (axes.low, axes.high))) <= 1 else f"{value:.3g}"


def spread_labels(heights: Mapping[str, float]) -> dict[str, float]:
    """Return the heights of labels, moved apart so that none overlaps another or leaves the chart.

    `heights`: height of each label by name.
    """
    order, spread = sorted(heights, key=heights.__getitem__), dict(heights)
    for above, below in pairwise(order):
        spread[below] = max(spread[below], spread[above] + LABEL_GAP)
    limit = float(CHART_HEIGHT - MARGIN_BOTTOM)
    for name in reversed(order):
        spread[name] = min(spread[name], limit)
        limit = spread[name] - LABEL_GAP
    return spread


def build_mark_chart(
    title: str,
    texts: tuple[str, str],
    rows: Sequence[MarkRow],
    *,
    row_height: float = 46,
    turns: Sequence[int] = (),
    end_text: str = "",
    legend: Sequence[tuple[str, str]] = (),
) -> MarkChart:
    """Build a chart with rows of marks.

    The marks in `rows` have values as positions. `texts`: note, and name of the axis. `turns`: whole numbers of the
    axis in place of round ticks. `end_text`: name of a line after the last turn.
    """
    ends = [end for row in rows for mark in row.marks for end in (mark.x, mark.end) if end is not None]
    ticks: Sequence[float] = [turns[0] - 0.5, *turns, turns[-1] + 0.5] if turns else list_ticks(min(ends), max(ends))

    def place(value: float) -> float:
        return place_on_axis(value, ticks, LABEL_WIDTH, CHART_WIDTH - 18)

    placed_rows = []
    for index, row in enumerate(rows):
        marks, limit = list[Mark](), float(CHART_WIDTH)
        for mark in reversed(row.marks):  # the last texts come first, the others where there is room
            x, reach = place(mark.x), LETTER_WIDTH * len(mark.text) / 2
            text, limit = (mark.text, x - reach) if mark.text and x + min(reach, 18) <= limit else ("", limit)
            marks.insert(0, replace(mark, x=x, end=place(mark.end or 0), text=text))
        label, y = clip_label(row.label, LABEL_WIDTH - 12), 26 + row_height * index
        placed_rows.append(replace(row, label=label, marks=marks, y=y))
    shown_ticks = turns[:: -(-len(turns) // 12)] if turns else ticks
    (note, axis), names = texts, dict(legend)
    figures = [f"{row.label}: {'; '.join(_describe_mark(mark, names) for mark in row.marks)}" for row in rows]
    return MarkChart(
        title=title,
        description=f"{title}. {'. '.join(figures)}",
        note=note,
        rows=placed_rows,
        ticks=[Tick(place(value), format_tick(value)) for value in shown_ticks],
        axis=axis,
        height=26 + row_height * (len(rows) - 1) + 50,
        figures=figures,
        legend=legend,
        end=Tick(place(turns[-1] + 0.45), end_text) if end_text else None,
    )


def _describe_mark(mark: Mark, names: Mapping[str, str]) -> str:
    value = format_tick(mark.x) if mark.end is None else f"{format_tick(mark.x)}–{format_tick(mark.end)}"
    return f"{value} {names[mark.kind]} {mark.text}".strip() if names else value


def build_bar_chart(
    title: str, note: str, bars: Sequence[Bar], full_value: float = 0, legend: Sequence[tuple[str, str]] = ()
) -> BarChart:
    """Build a chart with one bar for each option, as long as its value.

    `full_value`: value of a bar of full length, or 0 for the largest value.
    """
    highest_value = max([*(bar.value for bar in bars), full_value]) or 1
    decimals = choose_decimals(bar.value for bar in bars)
    drawn_bars = [
        replace(
            bar,
            figure=bar.figure or str(format_figure(bar.value, decimals)),
            length=round(max(0.0, 100 * bar.value / highest_value), 1),
        )
        for bar in bars
    ]
    return BarChart(title, note, drawn_bars, legend)
