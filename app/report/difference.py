"""Comparison of two runs, read from their documents."""

from collections.abc import Mapping
from typing import Any

from ...state.text import clip_text
from ..display.plain_text import flatten_line

DifferenceRow = tuple[str, str, str]
"""Row of a comparison: subject, text in the first run, text in the second run."""

COMPARED_LENGTH = 300
"""Length limit of a compared text, in characters."""


def compare_documents(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[DifferenceRow]:
    """Return a row for each difference between two runs. Statements are compared by turn."""
    rows = [_make_row(key, first.get(key), second.get(key)) for key in ("topic", "model", "seed")]
    rows += _compare_settings(first, second)
    rows += [_make_row("personas", _format_personas(first), _format_personas(second))]
    rows += [_make_row("ending", first["terminationReason"], second["terminationReason"])]
    rows += _compare_statements(first["turns"], second["turns"])
    rows += [_make_row(key, first.get(key), second.get(key)) for key in ("headline", "synthesis")]
    rows += [_make_row("turns", len(first["turns"]), len(second["turns"]))]
    rows += [_make_row("tokens", first["totalTokens"], second["totalTokens"])]
    return [row for row in rows if row[1] != row[2]]


def _compare_settings(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[DifferenceRow]:
    first_settings, second_settings = first.get("settings") or {}, second.get("settings") or {}
    return [
        _make_row(f"settings.{key}", first_settings.get(key), second_settings.get(key))
        for key in sorted({*first_settings, *second_settings} - {"model", "seed"})
    ]


def _compare_statements(first: list[Mapping[str, Any]], second: list[Mapping[str, Any]]) -> list[DifferenceRow]:
    second_texts = {turn_line["turnNumber"]: turn_line["content"] for turn_line in second}
    first_texts = {turn_line["turnNumber"]: turn_line["content"] for turn_line in first}
    changed_turns = [
        turn for turn in sorted({*first_texts, *second_texts}) if first_texts.get(turn) != second_texts.get(turn)
    ]
    return [
        _make_row(f"statement {turn}", first_texts.get(turn, "–"), second_texts.get(turn, "–"))
        for turn in changed_turns
    ]


def _format_personas(document: Mapping[str, Any]) -> str:
    return "; ".join(f"{participant['name']}: {participant['persona']}" for participant in document["participants"])


def _make_row(label: str, first: object, second: object) -> DifferenceRow:
    return (
        label,
        clip_text(flatten_line(str(first)), COMPARED_LENGTH),
        clip_text(flatten_line(str(second)), COMPARED_LENGTH),
    )
