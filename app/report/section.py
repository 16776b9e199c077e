"""A section of a report: its anchor, heading and blocks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .blocks import Fold, Note, Table
from .chart import BarChart, LineChart
from .page import Page

Block = Table | Note | Fold | LineChart | BarChart


@dataclass(frozen=True)
class Section:
    """Blocks under a heading of the second level. `name` is its anchor."""

    name: str
    title: str
    blocks: Sequence[Block]


Maker = Callable[[Page], Sequence[Block]]
"""Makes a section's blocks from a page; none where the run has nothing of the kind."""
