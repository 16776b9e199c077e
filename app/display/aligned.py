"""Rows of a table as columns of equal width."""

from collections.abc import Sequence

from rich.cells import cell_len

Row = Sequence[str]


def aligned(rows: Sequence[Row]) -> list[str]:
    """The rows as lines; wide characters take two places, and the last column is as long as it is."""
    widths = [max(cell_len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
