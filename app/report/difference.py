"""Comparison of two runs, read from their documents."""

from collections.abc import Mapping
from typing import Any

from ...state import clip_text
from ..display.plain_text import flatten_line

COMPARED_LENGTH = 300


def compare_documents(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Return the subject of each difference between two runs, with the text in each.

    Statements are compared by turn.
    """
    pairs: list[tuple[str, object, object]] = [
        (key, first.get(key), second.get(key)) for key in ("topic", "model", "seed", "recipients")
    ]
    settings = [document.get("settings") or {} for document in (first, second)]
    for key in sorted({*settings[0], *settings[1]} - {"model", "seed", "recipients"}):
        pairs.append((f"settings.{key}", settings[0].get(key), settings[1].get(key)))
    personas = [
        "; ".join(f"{participant['name']}: {participant['persona']}" for participant in document["participants"])
        for document in (first, second)
    ]
    pairs.append(("personas", personas[0], personas[1]))
    pairs.append(("ending", first["terminationReason"], second["terminationReason"]))
    texts = [{turn["turnNumber"]: turn["content"] for turn in document["turns"]} for document in (first, second)]
    for turn in sorted({*texts[0], *texts[1]}):
        pairs.append((f"statement {turn}", texts[0].get(turn, "–"), texts[1].get(turn, "–")))
    pairs += [(key, first.get(key), second.get(key)) for key in ("headline", "synthesis")]
    pairs.append(("turns", len(first["turns"]), len(second["turns"])))
    pairs.append(("tokens", first["totalTokens"], second["totalTokens"]))
    rows = [(label, _shorten_value(before), _shorten_value(after)) for label, before, after in pairs]
    return [row for row in rows if row[1] != row[2]]


def _shorten_value(value: object) -> str:
    return clip_text(flatten_line(str(value)), COMPARED_LENGTH)
