"""What a section of a report is made of: tables, charts, lines to unfold, and figures as people read them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

NONE = "–"
"""Shown in place of a figure that is missing."""


class Figure(str):
    """A number as it is shown; a table sets it to the right."""


Cell = str | Figure | Markup


@dataclass(frozen=True)
class Table:
    """A table; the first cell of a row names it. `compact`: as narrow as it can be, beside others of its kind; `named`:
    the names of its rows are long."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    total: Sequence[Cell] = ()
    compact: bool = False
    named: bool = False
    kind: str = field(default="table", init=False)

    @property
    def stacked(self) -> bool:
        """Whether its rows tell of things in words, not in figures alone: a phone shows each as a block of its own."""
        return self.named or any(not isinstance(cell, Figure) for cells in self.rows for cell in cells[1:])


@dataclass(frozen=True)
class Note:
    """A line of text, or what was written as Markdown."""

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
    """Names with what belongs to each; `key`: signs and what they stand for, on as few lines as it takes."""

    facts: Sequence[tuple[str, Cell]]
    title: str = ""
    key: bool = False
    kind: str = field(default="facts", init=False)


def figure(value: float | int | None, places: int = 0, sign: str = "") -> Figure:
    """A number with its thousands apart and `places` decimals; `sign` "+" shows it for numbers above 0 too."""
    return Figure(NONE if value is None else f"{value:{sign},.{places}f}".replace("-", "−"))


def places(values: Iterable[float]) -> int:
    """The decimals that figures beside each other have: two, or none where all are whole."""
    return 0 if all(float(value).is_integer() for value in values) else 2


def percent(share: float | None) -> Figure:
    """A share of 1 as a whole percentage."""
    return Figure(NONE if share is None else f"{share:.0%}")


def moment(iso: str) -> str:
    """`2026-11-21T09:36:02.068Z` as `2026-11-21 09:36:02`, UTC."""
    return iso[:19].replace("T", " ")


def when(iso: str) -> str | Markup:
    """A moment for a narrow cell: it may break between date and time, and nowhere else; a dash for none."""
    if not iso:
        return NONE
    date, _, time = moment(iso).partition(" ")
    return Markup('<span class="when">{}</span> <span class="when">{}</span>').format(date, time)


def duration(milliseconds: int) -> str:
    """Milliseconds as `512 ms`, `12.3 s` or `4 min 05 s`."""
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    seconds = milliseconds / 1000
    return f"{seconds:.1f} s" if seconds < 60 else f"{int(seconds // 60):,} min {int(seconds % 60):02} s"
