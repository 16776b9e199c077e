"""A section of a report: its anchor, heading and blocks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .blocks import Facts, Fold, Note, Table
from .chart import BarChart, LineChart, Strip
from .page import Page


@dataclass(frozen=True)
class Folded:
    """Blocks that unfold under a name."""

    name: str
    blocks: Sequence["Block"]
    kind: str = field(default="folded", init=False)


Block = Table | Note | Fold | Facts | LineChart | BarChart | Strip | Folded


@dataclass(frozen=True)
class Section:
    """Blocks under a heading. `name` is its anchor."""

    name: str
    title: str
    blocks: Sequence[Block]


Maker = Callable[[Page], Sequence[Block]]
"""Makes a section's blocks from a page; none where the run has nothing of the kind."""
