"""Answer of a run and its score against the truth."""

from collections.abc import Mapping
from typing import Any

from ...state.positions import PositionSettings, build_answer_format
from ...state.settings import parse_settings
from .items import fold_text

AnswerDocument = Mapping[str, Any]


def format_run_answer(document: AnswerDocument) -> str:
    """Return the run's answer: an option's id, a side or a number; empty without one.

    Semicolons separate tied answers.
    """
    answer = document.get("runAnswer")
    return "; ".join(answer["tied"]) or str(answer["answer"]) if answer else ""


def score_run(document: AnswerDocument, truth: str | float) -> float:
    """Return 1 for a right answer and 0 for a wrong or missing answer.

    Tied answers score the share of right answers among them.
    """
    answer = document.get("runAnswer")
    if not answer:
        return 0.0
    if answer["tied"]:
        return sum(_is_right_answer(document, tied_answer, "", truth) for tied_answer in answer["tied"]) / len(
            answer["tied"]
        )
    return float(_is_right_answer(document, answer["answer"], answer["text"], truth))


def _is_right_answer(document: AnswerDocument, answer: str, text: str, truth: str | float) -> bool:
    settings = parse_settings(document["settings"])
    answer_format = build_answer_format(settings) if isinstance(settings, PositionSettings) else None
    if answer_format is not None and answer_format.is_numeric:
        return answer_format.is_near(float(answer), float(truth))
    text = text or (answer_format.texts.get(answer, "") if answer_format else "")
    return fold_text(str(truth)) in (fold_text(answer), fold_text(text))
