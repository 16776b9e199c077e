"""Origin of a run: the checkpoint of a fork, or the place in an experiment."""

from collections.abc import Mapping
from typing import Any

from ...state.text import clip_text
from ..display.plain_text import flatten_line, format_json
from ..display.wording import translate_display_phrase
from ..display.wrapping import INSET
from .runs import Run

MAX_VALUE_LENGTH = 160
"""Characters of a value that the display shows. The JSON document has the full value."""


def build_origin(run: Run) -> dict[str, Any]:
    """Build the keys of a run's document that describe its origin."""
    fork_fields = {"forkedFrom": run.forked_from, "forkedTurn": run.forked_turn, "forkedWith": run.forked_with}
    return fork_fields | run.model_dump(include={"experiment", "condition", "item", "repeat"})


def _format_fork_point(document: Mapping[str, Any]) -> str:
    """Format the run and checkpoint of a fork, and its turn if it is on record."""
    run, turn = document["forkedFrom"], document["forkedTurn"]
    if turn is None:
        return str(run)
    return translate_display_phrase(
        document["language"], "fork.after" if turn else "fork.before", origin=run, turn=turn
    )


def _list_changes(document: Mapping[str, Any]) -> list[str]:
    """List the changes of a fork in the form of `--set`, shortened."""
    return [
        f"{key}={clip_text(flatten_line(_format_value(value)), MAX_VALUE_LENGTH)}"
        for key, value in document["forkedWith"].items()
    ]


def format_origin(document: Mapping[str, Any]) -> list[str]:
    """Format the origin as lines: a place in an experiment, or a checkpoint and the changes.

    `document`: has the keys of `build_origin` and the key `language`.
    """
    if document["experiment"]:
        experiment_fields = {key: document[key] for key in ("experiment", "condition", "item", "repeat")}
        return [translate_display_phrase(document["language"], "fork.experiment", **experiment_fields)]
    if not document["forkedFrom"]:
        return []
    key = "with" if document["forkedWith"] else "from" if document["forkedTurn"] is None else "unchanged"
    heading = translate_display_phrase(document["language"], f"fork.{key}", moment=_format_fork_point(document))
    return [heading, *(f"{INSET}{line}" for line in _list_changes(document))]


def _format_value(value: object) -> str:
    return value if isinstance(value, str) else format_json(value, None)
