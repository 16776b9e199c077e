"""Where a run comes from: of a fork, the run and moment it goes on from; of one of an experiment, its place there."""

from collections.abc import Mapping
from typing import Any

from ...state.text import clipped
from ..display.plain import as_json, one_line
from ..display.wording import say
from ..display.wrapping import INSET
from .runs import Run

SHOWN = 160
"""Characters shown of a value; the JSON document has it whole."""


def origin(run: Run) -> dict[str, Any]:
    """What the document of a run says of it."""
    forked = {"forkedFrom": run.forked_from, "forkedTurn": run.forked_turn, "forkedWith": run.forked_with}
    return forked | run.model_dump(include={"experiment", "condition", "item", "repeat"})


def _moment(document: Mapping[str, Any]) -> str:
    """The run and checkpoint, and after which turn that was, where this is on record."""
    run, turn = document["forkedFrom"], document["forkedTurn"]
    if turn is None:
        return str(run)
    return say(document["language"], "fork.after" if turn else "fork.before", origin=run, turn=turn)


def _settings(document: Mapping[str, Any]) -> list[str]:
    """What was set, as it is written after `--set`, clipped."""
    return [f"{key}={clipped(one_line(_text(value)), SHOWN)}" for key, value in document["forkedWith"].items()]


def origin_lines(document: Mapping[str, Any]) -> list[str]:
    """The same for people, a line each: its place in an experiment; or the moment it was forked at, then what was set.

    `document`: its keys of `origin` and its `language` are read.
    """
    if document["experiment"]:
        place = {key: document[key] for key in ("experiment", "condition", "item", "repeat")}
        return [say(document["language"], "fork.experiment", **place)]
    if not document["forkedFrom"]:
        return []
    key = "with" if document["forkedWith"] else "from" if document["forkedTurn"] is None else "unchanged"
    head = say(document["language"], f"fork.{key}", moment=_moment(document))
    return [head, *(f"{INSET}{line}" for line in _settings(document))]


def _text(value: object) -> str:
    return value if isinstance(value, str) else as_json(value, None)
