"""Section of a report: anchor, heading and blocks."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from .blocks import Facts, Fold, Note, TableBlock
from .chart import BarChart, LineChart, Strip


@dataclass(frozen=True)
class FoldedBlocks:
    """Blocks that unfold under a name."""

    name: str
    blocks: Sequence["Block"]
    kind: str = field(default="folded", init=False)


Block = TableBlock | Note | Fold | Facts | LineChart | BarChart | Strip | FoldedBlocks


@dataclass(frozen=True)
class ReportSection:
    """Blocks under a heading. `name`: the anchor."""

    name: str
    title: str
    blocks: Sequence[Block]
