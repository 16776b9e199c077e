"""Blocks of which reports, transcripts and answers consist, and formatted figures.

Each kind is rendered as HTML by `templates/blocks.html`, as Markdown and as text by `block_text`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

MISSING = "–"
"""Text shown in place of a missing figure."""


class Figure(str):
    """Number as displayed, which tables align right."""


class MarkdownText(str):
    """Text that is already Markdown and is not escaped again."""


TableCell = str | Figure | Markup


@dataclass(frozen=True)
class TableBlock:
    """Table with row names in the first column.

    `is_compact`: whether the table is as narrow as possible, next to similar tables. `has_long_names`: whether the row
    names are long.
    """

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[TableCell]]
    total: Sequence[TableCell] = ()
    is_compact: bool = False
    has_long_names: bool = False

    @property
    def is_stacked(self) -> bool:
        """Return whether any cell contains words instead of a figure.

        A phone then shows each row as a separate block.
        """
        return self.has_long_names or any(not isinstance(cell, Figure) for cells in self.rows for cell in cells[1:])


@dataclass(frozen=True)
class Heading:
    """Heading of a report.

    `level`: 1 for a title, 2 for a section, and so on.
    """

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """Single line of text, or rendered Markdown."""

    text: str | Markup | MarkdownText


@dataclass(frozen=True)
class BulletList:
    """List with bullets or numbers."""

    lines: Sequence[str | Markup | MarkdownText]
    is_numbered: bool = False


@dataclass(frozen=True)
class BlockQuote:
    """Block quotation."""

    blocks: Sequence["Paragraph | BulletList"]


@dataclass(frozen=True)
class FactList:
    """Pairs of name and value, such as the key figures of a run.

    `is_legend`: whether the names are signs, with their meanings as values, shown on as few lines as possible.
    """

    facts: Sequence[tuple[str, TableCell]]
    title: str = ""
    is_legend: bool = False


@dataclass(frozen=True)
class Tick:
    """Label on an axis of a chart, at its position."""

    position: float
    text: str


@dataclass(frozen=True)
class ChartLine:
    """Line in a line chart: name, color, path and points.

    `label`: text at the line's end, at the height `label_y`; empty if the legend names the line. `is_strong`: whether
    the line summarizes all others.
    """

    name: str
    colour: int
    path: str
    points: list[tuple[float, float]]
    label: str = ""
    label_y: float = 0
    is_strong: bool = False


@dataclass(frozen=True)
class LineChart:
    """Line chart of figures over steps.

    `axis`: name of the horizontal axis. `right`: right end of the axes. `threshold`: height of the comparison
    line, or `None`.
    """

    title: str
    description: str
    lines: list[ChartLine]
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    axis: str
    right: float
    figures: TableBlock
    threshold: Tick | None = None


@dataclass(frozen=True)
class Mark:
    """Mark in a row of a chart, from `x` to `end`.

    `colour`: number of a participant, or `None` for ink.
    """

    kind: str
    x: float
    end: float | None = None
    text: str = ""
    colour: int | None = None


@dataclass(frozen=True)
class MarkRow:
    """Row of a chart with marks: its name, a smaller text below the name, and its marks."""

    label: str
    detail: str
    marks: Sequence[Mark]
    y: float = 0
    colour: int | None = None


@dataclass(frozen=True)
class MarkChart:
    """Chart with rows of marks over one axis.

    `note`: explanation. `legend`: kinds of marks with their names. `end`: place and name of a line after the last mark.
    """

    title: str
    description: str
    note: str
    rows: Sequence[MarkRow]
    ticks: list[Tick]
    axis: str
    height: float
    figures: Sequence[str]
    legend: Sequence[tuple[str, str]] = ()
    end: Tick | None = None


@dataclass(frozen=True)
class Bar:
    """Bar of a chart: short sign, full text, figure, and length in per cent.

    `cells`: marks at the bar's end with their kinds, such as the ranks that members gave.
    """

    sign: str
    text: str
    value: float
    is_winner: bool = False
    figure: str = ""
    length: float = 0
    cells: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class BarChart:
    """Chart with one bar for each option.

    `note`: unit of the figures. `legend`: kinds of cells with their names.
    """

    title: str
    note: str
    bars: Sequence[Bar]
    legend: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class FoldedBlocks:
    """Blocks that readers can unfold under a name.

    `count`: number of entries in words, or empty.
    """

    name: str
    blocks: Sequence["Block"]
    is_open: bool = False
    count: str = ""


Block = (
    Heading
    | TableBlock
    | Paragraph
    | BulletList
    | BlockQuote
    | FactList
    | LineChart
    | MarkChart
    | BarChart
    | FoldedBlocks
)


@dataclass(frozen=True)
class ReportSection:
    """Section of a report: blocks under a heading.

    `name`: anchor of the section.
    """

    name: str
    title: str
    blocks: Sequence[Block]


def format_figure(value: float | int | None, places: int = 0, sign: str = "") -> Figure:
    """Format a number with thousands separators and `places` decimals.

    With the `sign` "+", numbers above 0 also get a sign.
    """
    return Figure(MISSING if value is None else f"{value:{sign},.{places}f}".replace("-", "−"))


def choose_decimals(values: Iterable[float]) -> int:
    """Return the number of decimals for figures shown together: 0 if all are whole, otherwise 2."""
    return 0 if all(float(value).is_integer() for value in values) else 2


def format_moment(iso: str) -> str:
    """Return `2026-11-21T09:36:02.068Z` as `2026-11-21 09:36:02`, UTC."""
    return iso[:19].replace("T", " ")


def render_moment(iso: str) -> str | Markup:
    """Render a time for a narrow cell, with a break only between date and time; a dash if it is empty."""
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
