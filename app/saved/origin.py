"""Origin of a run: the checkpoint of a fork, or the position in an experiment."""

from collections.abc import Mapping
from typing import Any

from ...state import clip_text
from ..display import STATEMENT_INDENT, flatten_line, format_json, translate_display_phrase
from .runs import Run


def build_origin(run: Run) -> dict[str, Any]:
    """Return the fields of a run's document that describe its origin."""
    fork_fields = {"forkedFrom": run.forked_from, "forkedTurn": run.forked_turn, "forkedWith": run.forked_with}
    return fork_fields | run.model_dump(include={"experiment", "condition", "item", "repeat"})


def format_origin_lines(document: Mapping[str, Any]) -> list[str]:
    """Return lines about a run's origin: its position in an experiment, or its checkpoint and changes.

    `document`: mapping with the keys of `build_origin` and the key `language`. For any other run, the list is empty.
    """
    if document["experiment"]:
        experiment_fields = {key: document[key] for key in ("experiment", "condition", "item", "repeat")}
        return [translate_display_phrase(document["language"], "fork.experiment", **experiment_fields)]
    if not document["forkedFrom"]:
        return []
    language, moment, turn = document["language"], document["forkedFrom"], document["forkedTurn"]
    key = "with" if document["forkedWith"] else "from" if turn is None else "unchanged"
    if turn is not None:
        moment = translate_display_phrase(language, "fork.after" if turn else "fork.before", origin=moment, turn=turn)
    lines = [translate_display_phrase(language, f"fork.{key}", moment=moment)]
    for key, value in document["forkedWith"].items():
        text = flatten_line(value if isinstance(value, str) else format_json(value, None))
        lines.append(f"{STATEMENT_INDENT}{key}={clip_text(text, 160)}")
    return lines
