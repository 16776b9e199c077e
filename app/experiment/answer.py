"""The answer a run came to, and whether it is right."""

from collections.abc import Mapping
from typing import Any


def answer_of(document: Mapping[str, Any]) -> str:
    """What won the run's last counted vote, as its option says it; empty: no vote was won."""
    for poll in reversed(document.get("polls") or []):
        tally = poll["tally"]
        if tally and tally["winner"]:
            return str(poll["options"].get(tally["winner"], tally["winner"]))
    return ""


def is_right(answer: str, truth: str | float | None) -> bool | None:
    """Whether an answer is the right one; none where nobody knows."""
    if truth is None:
        return None
    return _same(answer) == _same(str(truth))


def _same(text: str) -> str:
    return " ".join(text.casefold().split())
