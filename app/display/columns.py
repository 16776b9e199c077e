"""Table rows as lines with columns of equal width."""

from collections.abc import Sequence

from rich.cells import cell_len

TextRow = Sequence[str]


def align_columns(rows: Sequence[TextRow]) -> list[str]:
    """Format the rows as lines with aligned columns.

    A wide character takes two places. The last column is not padded.
    """
    widths = [max(cell_len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell + " " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
