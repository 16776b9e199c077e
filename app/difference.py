"""What differs between two runs, read from their documents."""

from collections.abc import Mapping
from typing import Any

from ..state.text import clipped
from .display.plain import one_line

Row = tuple[str, str, str]
"""What is compared, in the first run, in the second."""

SHOWN = 300
"""Characters shown of a text."""


def difference(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Row]:
    """A row for each thing that differs; the statements up to the first that differs are one line."""
    rows = [_row(key, first.get(key), second.get(key)) for key in ("topic", "model", "seed")]
    rows += _settings(first, second)
    rows += [_row("personas", _personas(first), _personas(second))]
    rows += [_row("ending", first["terminationReason"], second["terminationReason"])]
    rows += _statements(first["turns"], second["turns"])
    rows += [_row(key, first.get(key), second.get(key)) for key in ("headline", "synthesis")]
    rows += [_row("turns", len(first["turns"]), len(second["turns"]))]
    rows += [_row("tokens", first["totalTokens"], second["totalTokens"])]
    return [row for row in rows if row[1] != row[2]]


def _settings(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Row]:
    one, other = first.get("rules") or {}, second.get("rules") or {}
    return [_row(f"rules.{key}", one.get(key), other.get(key)) for key in sorted({*one, *other} - {"model", "seed"})]


def _statements(first: list[Mapping[str, Any]], second: list[Mapping[str, Any]]) -> list[Row]:
    theirs = {one["turnNumber"]: one["content"] for one in second}
    ours = {one["turnNumber"]: one["content"] for one in first}
    parted = [turn for turn in sorted({*ours, *theirs}) if ours.get(turn) != theirs.get(turn)]
    return [_row(f"statement {turn}", ours.get(turn, "–"), theirs.get(turn, "–")) for turn in parted]


def _personas(document: Mapping[str, Any]) -> str:
    return "; ".join(f"{one['name']}: {one['persona']}" for one in document["participants"])


def _row(what: str, first: object, second: object) -> Row:
    return what, clipped(one_line(str(first)), SHOWN), clipped(one_line(str(second)), SHOWN)
