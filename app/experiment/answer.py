"""The answer a run came to, and whether it is right."""

from collections.abc import Mapping
from typing import Any

from .measures.answers import TOLERANCE, same


def answer_of(document: Mapping[str, Any]) -> str:
    """What won the run's last counted vote, else what the run answers, as its option says it; empty: nothing did."""
    for poll in reversed(document.get("polls") or []):
        tally = poll["tally"]
        if tally and tally["winner"]:
            return str(poll["options"].get(tally["winner"], tally["winner"]))
    answer = document.get("runAnswer") or {}
    return str(answer.get("text") or answer.get("answer") or "")


def is_right(answer: str, truth: str | float | None, tolerance: float = TOLERANCE) -> bool | None:
    """Whether an answer is the right one, a number within the tolerance; none where nobody knows."""
    if truth is None:
        return None
    if isinstance(truth, float) and (number := _number(answer)) is not None:
        return same(number, truth, tolerance)
    return folded(answer) == folded(str(truth))


def folded(text: str) -> str:
    """A text as answers are compared: without case and runs of spaces."""
    return " ".join(text.casefold().split())


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
