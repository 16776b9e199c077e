"""Building blocks of a report's sections: tables, notes, folds, facts, and formatted figures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

MISSING = "–"
"""Text shown in place of a missing figure."""


class Figure(str):
    """Number in its shown form, aligned right in a table."""


TableCell = str | Figure | Markup


@dataclass(frozen=True)
class TableBlock:
    """Table with row names in the first column.

    `compact`: as narrow as possible, to stand next to similar tables. `has_long_names`: the row names are long.
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
        """Return whether the cells hold words and not only figures.

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
    """Lines that unfold under a name."""

    name: str
    count: str
    lines: Sequence[str | Markup]
    kind: str = field(default="fold", init=False)


@dataclass(frozen=True)
class Facts:
    """Names with their values. `is_legend`: signs and their meanings, on as few lines as possible."""

    facts: Sequence[tuple[str, TableCell]]
    title: str = ""
    is_legend: bool = False
    kind: str = field(default="facts", init=False)


def format_figure(value: float | int | None, places: int = 0, sign: str = "") -> Figure:
    """Format a number with thousands separators and `places` decimals.

    `sign` "+" marks numbers above 0 too.
    """
    return Figure(MISSING if value is None else f"{value:{sign},.{places}f}".replace("-", "−"))


def choose_decimals(values: Iterable[float]) -> int:
    """Return the number of decimals for figures shown together: 2, or 0 if all are whole."""
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
