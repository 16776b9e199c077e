"""Small charts as geometry; the template draws them as inline SVG. Units are those of the viewBox, 360 wide."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .blocks import figure, places

WIDTH, HEIGHT = 360, 210
LEFT, RIGHT, TOP, BOTTOM = 42, 14, 12, 40
BAR, GAP, SIGN, LABEL, FIGURE = 16, 10, 24, 18, 72
LETTER = 10
"""The width of a letter in a strip."""
LONGEST = 24
"""Characters of a name above a bar, so that the widest letters fit."""


@dataclass(frozen=True)
class Tick:
    """A label on an axis, at its place."""

    at: float
    text: str


@dataclass(frozen=True)
class Line:
    """One series: its name, colour, the path and its points."""

    name: str
    colour: int
    path: str
    points: list[tuple[float, float]]


@dataclass(frozen=True)
class LineChart:
    """Figures over steps. `threshold`: height of a line held against; none: there is none."""

    title: str
    description: str
    lines: list[Line]
    across: list[Tick]
    up: list[Tick]
    axis: str
    threshold: Tick | None = None
    kind: str = field(default="lines", init=False)


@dataclass(frozen=True)
class Bar:
    """One bar: its label and where that ends, its top edge, its length, and the figure beside it."""

    label: str
    base: float
    at: float
    length: float
    text: str
    winner: bool


@dataclass(frozen=True)
class BarChart:
    """Figures side by side. `left`: where bars begin; signs stand before them, names above."""

    title: str
    description: str
    bars: list[Bar]
    height: float
    left: float
    kind: str = field(default="bars", init=False)


@dataclass(frozen=True)
class Axes:
    """What a line chart is drawn on: names of the steps, values from `low` at the bottom to `high` at the top."""

    steps: Sequence[str]
    name: str
    low: float
    high: float
    ticks: Sequence[float]
    threshold: float | None = None

    def x(self, place: int) -> float:
        """Where step `place`, from 0, stands; a single one stands in the middle."""
        room = WIDTH - LEFT - RIGHT - 20
        return round(LEFT + 10 + (room / 2 if len(self.steps) < 2 else room * place / (len(self.steps) - 1)), 1)

    def y(self, value: float) -> float:
        """Where a value stands."""
        share = (value - self.low) / (self.high - self.low)
        return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)


def line_chart(title: str, description: str, axes: Axes, series: Mapping[str, Sequence[float | None]]) -> LineChart:
    """Series by name, in the order of their colours; each has a value, or none, for every step."""
    every = max(1, -(-len(axes.steps) // 10))
    return LineChart(
        title=title,
        description=description,
        lines=[_line(name, colour, axes, values) for colour, (name, values) in enumerate(series.items())],
        across=[Tick(axes.x(place), step) for place, step in enumerate(axes.steps) if place % every == 0],
        up=[Tick(axes.y(value), f"{value:g}".replace("-", "−")) for value in axes.ticks],
        axis=axes.name,
        threshold=None if axes.threshold is None else Tick(axes.y(axes.threshold), f"{axes.threshold:g}"),
    )


def _line(name: str, colour: int, axes: Axes, values: Sequence[float | None]) -> Line:
    """The path goes on over steps without a value, whose points are missing."""
    points = [(axes.x(place), axes.y(value)) for place, value in enumerate(values) if value is not None]
    return Line(name, colour, " ".join(f"{x},{y}" for x, y in points), points)


@dataclass(frozen=True)
class Totals:
    """Values of bars, by name; `winners` are marked. `full`: the value of a bar of full length; 0: the largest."""

    by_name: Mapping[str, float]
    winners: Sequence[str]
    full: float = 0


def bar_chart(title: str, description: str, totals: Totals) -> BarChart:
    """One bar for each option, as long as its total."""
    most = max([*totals.by_name.values(), totals.full]) or 1
    signs = all(len(name) < 3 for name in totals.by_name)
    left, lift = (SIGN, 0) if signs else (0, LABEL)
    step, decimals = lift + BAR + GAP, places(totals.by_name.values())
    bars = [
        Bar(
            label=name if len(name) <= LONGEST else name[: LONGEST - 1] + "…",
            base=GAP + place * step + 12,
            at=GAP + place * step + lift,
            length=round(max(0.0, (WIDTH - left - FIGURE) * total / most), 1),
            text=str(figure(total, decimals)),
            winner=name in totals.winners,
        )
        for place, (name, total) in enumerate(totals.by_name.items())
    ]
    return BarChart(title, description, bars, GAP + len(bars) * step, left)


@dataclass(frozen=True)
class Share:
    """One part of a strip. `sign`: how it is named there, or empty; `meaning`: what that stands for."""

    sign: str
    meaning: str
    count: float
    winner: bool = False

    @property
    def named(self) -> str:
        """Its sign with its meaning, or the one there is."""
        return ": ".join(filter(None, (self.sign, self.meaning)))


@dataclass(frozen=True)
class Segment:
    """A share as it is drawn: where it begins, how wide it is, what is written in it, and its shade from 0."""

    share: Share
    at: float
    width: float
    text: str
    shade: int


@dataclass(frozen=True)
class Strip:
    """One bar cut into shares; those of nothing are in its legend only."""

    title: str
    description: str
    segments: list[Segment]
    legend: Sequence[tuple[Share, str]]
    kind: str = field(default="strip", init=False)


def strip(title: str, description: str, shares: Sequence[Share]) -> Strip:
    """Shares side by side over the whole width, each as wide as its count; at least one is above 0."""
    total = sum(share.count for share in shares)
    decimals = places(share.count for share in shares)
    segments: list[Segment] = []
    at = 0.0
    for share in shares:
        width = WIDTH * share.count / total
        figures = str(figure(share.count, decimals))
        fitting = (f"{share.sign} · {figures}" if share.sign else figures, figures, "")
        text = next(one for one in fitting if LETTER * len(one) <= width)
        if share.count:
            segments.append(Segment(share, round(at, 1), round(width, 1), text, len(segments) % 2))
        at += width
    return Strip(title, description, segments, [(share, str(figure(share.count, decimals))) for share in shares])
