"""The answer a run came to, and how far it is right."""

from collections.abc import Mapping
from typing import Any

from ...state.positions import PositionRules, question_of
from ...state.rules import revived
from .items import folded

Document = Mapping[str, Any]


def answer_of(document: Document) -> str:
    """The run's answer: an option's id, a side, a number; tied ones between semicolons; empty: there is none."""
    found = document.get("runAnswer")
    return "; ".join(found["tied"]) or str(found["answer"]) if found else ""


def credit(document: Document, truth: str | float) -> float:
    """1 for the right answer, 0 for another or none; where several are tied, the share of the right one."""
    found = document.get("runAnswer")
    if not found:
        return 0.0
    if found["tied"]:
        return sum(_is(document, one, "", truth) for one in found["tied"]) / len(found["tied"])
    return float(_is(document, found["answer"], found["text"], truth))


def _is(document: Document, answer: str, text: str, truth: str | float) -> bool:
    rules = revived(document["rules"])
    question = question_of(rules) if isinstance(rules, PositionRules) else None
    if question is not None and question.numeric:
        return question.near(float(answer), float(truth))
    text = text or (question.texts.get(answer, "") if question else "")
    return folded(str(truth)) in (folded(answer), folded(text))
