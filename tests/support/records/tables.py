"""CSV tables as a data frame's reader sees them."""

import csv
import io
from pathlib import Path

Rows = list[dict[str, str]]
PASSING = ("cached_tokens", "started_at", "total_time_ms", "seconds", "timestamp", "at", "ms", "order")
"""Columns that differ from one time to the next: clocks, and what a server had in its cache by then."""


def rows(text: str) -> Rows:
    """The rows of a table, as texts by column."""
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def text_of(file: Path) -> str:
    """The text of a file, line breaks as they are."""
    return file.read_bytes().decode("utf-8")


def header(file: Path) -> list[str]:
    """The columns of a file."""
    return next(csv.reader(io.StringIO(text_of(file), newline="")))


def read(folder: Path) -> dict[str, Rows]:
    """Every table of a folder, by name."""
    return {file.stem: rows(text_of(file)) for file in folder.glob("*.csv")}


def lasting(row: dict[str, str]) -> dict[str, str]:
    """What of a row is the same every time."""
    return {key: value for key, value in row.items() if key not in PASSING}
