"""A position in text is read from its lines alone, in every language."""

from typing import Any

import pytest
from moot.nodes.answer_forms import make_answer_form
from moot.nodes.delphi.estimate import make_estimate_form
from moot.nodes.positions.position_form import make_position_fields
from moot.state.answers.text import UnclearAnswerError
from moot.state.positions import AnswerFormat

OPTIONS = AnswerFormat(["A", "B"], {"A": "Plan Rosa", "B": "Plan Blau"})
KILOS = AnswerFormat((), is_numeric=True, unit="kg", tolerance=0.01)
SIDES = AnswerFormat()


def parse(text: str, question: AnswerFormat, has_stance: bool) -> dict[str, Any]:
    values, _ = make_answer_form("en", *make_position_fields(question, "en", has_stance=has_stance)).parse(text)
    answer = values.pop("answer")
    return values | (answer if isinstance(answer, dict) else {"answer": answer})


READ: list[tuple[str, AnswerFormat, bool, dict[str, Any]]] = [
    ("Answer: for\nCertainty: 70", SIDES, False, {"answer": "for", "certainty": 70}),
    ("**Answer:** against\nCertainty: 70 %\nStance: partly", SIDES, True, {"answer": "against", "stance": "partly"}),
    ("Certeza: 55\nRespuesta: en contra", SIDES, False, {"answer": "against", "certainty": 55}),
    ("回答：反对\n把握：80", SIDES, False, {"answer": "against", "certainty": 80}),
    ("回答：未定\n把握：50\n态度：让步", SIDES, True, {"answer": "undecided", "stance": "concede"}),
    ("Answer: B\nCertainty: 61.5", OPTIONS, False, {"answer": "B", "certainty": 61.5}),
    ("I like Plan Rosa.\nAnswer: Plan Blau\nCertainty: 61", OPTIONS, False, {"answer": "B"}),
    ("Answer: 12.5 kg\nCertainty: 90", KILOS, False, {"answer": 12.5, "unit": "kg"}),
    ("Answer: −3kg.\nCertainty: 9", KILOS, False, {"answer": -3.0}),
]


@pytest.mark.parametrize(("text", "question", "stance", "said"), READ, ids=[one[0][:24] for one in READ])
def test_a_position_by_its_lines_is_read(text: str, question: AnswerFormat, stance: bool, said: dict[str, Any]) -> None:
    assert said.items() <= parse(text, question, stance).items()


UNREAD: list[tuple[str, AnswerFormat, bool]] = [
    ("Answer: for", SIDES, False),
    ("For.\nCertainty: 70", SIDES, False),
    ("Answer: for\nCertainty: 70\nCertainty: 80", SIDES, False),
    ("Answer: not for it\nCertainty: 70", SIDES, False),
    ("Answer: for\nCertainty: very", SIDES, False),
    ("Answer: for\nCertainty: 70", SIDES, True),
    ("Answer: for\nCertainty: 70\nStance: perhaps", SIDES, True),
    ("Answer: C\nCertainty: 70", OPTIONS, False),
    ("Answer: 12500 g\nCertainty: 70", KILOS, False),
    ("Answer: 12,500 kg\nCertainty: 70", KILOS, False),
    ("Answer: about 12 kg\nCertainty: 70", KILOS, False),
    ("Answer: 12 kg or 14 kg\nCertainty: 70", KILOS, False),
]


@pytest.mark.parametrize(("text", "question", "stance"), UNREAD, ids=[one[0][:34] for one in UNREAD])
def test_anything_else_is_no_position(text: str, question: AnswerFormat, stance: bool) -> None:
    with pytest.raises(UnclearAnswerError):
        parse(text, question, stance)


def test_an_estimate_is_three_numbers_or_an_option_with_a_reason() -> None:
    numbers, options = make_estimate_form(KILOS, "es"), make_estimate_form(OPTIONS, "en")
    assert numbers.parse("Pienso.\nEstimación: 40, 55.5, 70 kg\nRazón: por ahí.")[0] == {
        "answer": {"low": 40.0, "answer": 55.5, "high": 70.0, "unit": "kg"},
        "reason": "por ahí.",
    }
    assert options.parse("Estimate: Plan Blau\nReason: it is fair.")[0] == {"answer": "B", "reason": "it is fair."}
    for text in ("Estimate: 40, 55, 70", "Estimate: 40, 55\nReason: x", "Estimate: 1,000, 2,000, 3,000\nReason: x"):
        with pytest.raises(UnclearAnswerError):
            numbers.parse(text)
