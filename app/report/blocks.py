"""Building blocks of a report's sections: tables, notes, folds, facts, charts, and formatted figures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

MISSING = "–"
"""Text shown in place of a missing figure."""


class Figure(str):
    """Number as displayed. Tables align it right."""


TableCell = str | Figure | Markup


@dataclass(frozen=True)
class TableBlock:
    """Table with row names in the first column.

    `compact`: whether it is as narrow as possible, to stand next to similar tables. `has_long_names`: whether the row
    names are long.
    """

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[TableCell]]
    total: Sequence[TableCell] = ()
    compact: bool = False
    has_long_names: bool = False
    kind: str = field(default="table", init=False)

    @property
    def stacked(self) -> bool:
        """Return whether any cell contains words instead of a figure.

        A phone then shows each row as a separate block.
        """
        return self.has_long_names or any(not isinstance(cell, Figure) for cells in self.rows for cell in cells[1:])


@dataclass(frozen=True)
class Note:
    """Line of text, or rendered Markdown."""

    text: str | Markup
    kind: str = field(default="note", init=False)


@dataclass(frozen=True)
class Fold:
    """Lines that readers can unfold, with a name."""

    name: str
    count: str
    lines: Sequence[str | Markup]
    kind: str = field(default="fold", init=False)


@dataclass(frozen=True)
class Facts:
    """Names with their values. `is_legend`: whether they are signs with meanings, shown on as few lines as possible."""

    facts: Sequence[tuple[str, TableCell]]
    title: str = ""
    is_legend: bool = False
    kind: str = field(default="facts", init=False)


@dataclass(frozen=True)
class Tick:
    """Label on an axis at its position."""

    position: float
    text: str


@dataclass(frozen=True)
class ChartLine:
    """Line of a chart: name, colour, path and points."""

    name: str
    colour: int
    path: str
    points: list[tuple[float, float]]


@dataclass(frozen=True)
class LineChart:
    """Line chart of figures over steps. `threshold`: height of the comparison line, or `None`."""

    title: str
    description: str
    lines: list[ChartLine]
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    axis: str
    threshold: Tick | None = None
    kind: str = field(default="lines", init=False)


@dataclass(frozen=True)
class Bar:
    """Bar of a chart: label, baseline, top edge, length, and the figure next to the bar."""

    label: str
    label_y: float
    top: float
    length: float
    text: str
    winner: bool


@dataclass(frozen=True)
class BarChart:
    """Bar chart. `bar_start`: x at which the bars start. Signs stand before the bars, names of options above them."""

    title: str
    description: str
    bars: list[Bar]
    height: float
    bar_start: float
    kind: str = field(default="bars", init=False)


@dataclass(frozen=True)
class Share:
    """Part of a strip. `sign`: short name in the strip, or empty. `meaning`: full name."""

    sign: str
    meaning: str
    count: float
    winner: bool = False

    @property
    def label(self) -> str:
        """Return the sign with its meaning, or only one of them if the other is empty."""
        return ": ".join(filter(None, (self.sign, self.meaning)))


@dataclass(frozen=True)
class Segment:
    """Share of a strip as drawn: left edge, width, text and shade (from 0)."""

    share: Share
    x: float
    width: float
    text: str
    shade: int


@dataclass(frozen=True)
class Strip:
    """Bar divided into shares. Empty shares appear only in the legend."""

    title: str
    description: str
    segments: list[Segment]
    legend: Sequence[tuple[Share, str]]
    kind: str = field(default="strip", init=False)


@dataclass(frozen=True)
class FoldedBlocks:
    """Blocks that readers can unfold, with a name."""

    name: str
    blocks: Sequence["Block"]
    kind: str = field(default="folded", init=False)


Block = TableBlock | Note | Fold | Facts | LineChart | BarChart | Strip | FoldedBlocks


@dataclass(frozen=True)
class ReportSection:
    """Blocks under a heading. `name`: anchor of the section."""

    name: str
    title: str
    blocks: Sequence[Block]


def format_figure(value: float | int | None, places: int = 0, sign: str = "") -> Figure:
    """Format a number with thousands separators and `places` decimals.

    With the `sign` "+", numbers above 0 also get a sign.
    """
    return Figure(MISSING if value is None else f"{value:{sign},.{places}f}".replace("-", "−"))


def choose_decimals(values: Iterable[float]) -> int:
    """Choose the number of decimals for figures shown together: 0 if all are whole, else 2."""
    return 0 if all(float(value).is_integer() for value in values) else 2


def format_moment(iso: str) -> str:
    """Format `2026-11-21T09:36:02.068Z` as `2026-11-21 09:36:02`, UTC."""
    return iso[:19].replace("T", " ")


def render_moment(iso: str) -> str | Markup:
    """Render a moment for a narrow cell, with a break only between date and time; a dash if empty."""
    if not iso:
        return MISSING
    date, _, time = format_moment(iso).partition(" ")
    return Markup('<span class="when">{}</span> <span class="when">{}</span>').format(date, time)


def format_duration(milliseconds: int) -> str:
    """Format milliseconds as `512 ms`, `12.3 s` or `4 min 05 s`."""
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    seconds = milliseconds / 1000
    return f"{seconds:.1f} s" if seconds < 60 else f"{int(seconds // 60):,} min {int(seconds % 60):02} s"
