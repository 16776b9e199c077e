"""Every act of the experiment is read from its form alone, in three languages; a sentence adopts nothing."""

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from langchain_core.messages import AIMessage
from moot.nodes.answer_forms import format_form, format_repeated_question
from moot.nodes.ask.attempt import SHARED_TEMPLATES
from moot.nodes.ask.reply_schema import ReplySchema, UnusableReplyError, parse_reply
from moot.nodes.justice.addressee import Addressee
from moot.nodes.justice.answer_requests import (
    make_choice,
    request_amount,
    request_choice,
    request_consent,
    request_distribution,
    request_principle,
    request_ranking,
)
from moot.nodes.justice.question import AnswerRequest
from moot.prompts import LANGUAGES
from moot.state.justice.settings import JusticeSettings


@dataclass
class Asked:
    """The requests to one participant in one language."""

    language: str = "en"

    @property
    def addressee(self) -> Addressee:
        experiment = JusticeSettings.model_validate({"language": self.language, "participants": ["A", "B"]})
        return Addressee(experiment, experiment.participants[0])

    def request(self, act: str) -> AnswerRequest[Any]:
        requests: dict[str, Any] = {
            "ranking": request_ranking(self.addressee),
            "choice": request_choice(self.addressee),
            "principle": request_principle(self.addressee),
            "amount": request_amount(self.addressee),
            "consent": request_consent(self.addressee, "consent"),
            "vote_now": request_consent(self.addressee, "vote_now"),
            "distribution": request_distribution(self.addressee, "D2", []),
        }
        return requests[act]

    def read(self, act: str, text: str) -> dict[str, Any] | None:
        """What is read as this act, without what was left out; none: it is asked again."""
        request = self.request(act)
        try:
            value, _ = parse_reply(
                AIMessage(text), ReplySchema(request.schema, SHARED_TEMPLATES, request.form, self.language)
            )
        except UnusableReplyError:
            return None
        return None if request.find_fault(value) else value.model_dump(exclude_unset=True)


ORDER = ["2", "1", "4", "3"]
READ: list[tuple[str, str, dict[str, Any]]] = [
    ("principle", "3", {"principle": "3"}),
    ("principle", "**3**.", {"principle": "3"}),
    ("principle", "principle 3", {"principle": "3"}),
    ("principle", "3 (maximizing the average income with a floor constraint)", {"principle": "3"}),
    ("principle", "Principle 3: maximizing the average income with a floor constraint", {"principle": "3"}),
    ("principle", "原则3（在最低约束下最大化平均收入）", {"principle": "3"}),
    ("principle", "Principio: maximizar el ingreso mínimo", {"principle": "1"}),
    ("principle", "I weighed principle 1 and principle 2.\n\nPrinciple: 3", {"principle": "3"}),
    ("principle", "Answer: 3\n\nReason: it protects principle 1", {"principle": "3"}),
    ("principle", '{"principle": 3}', {"principle": "3"}),
    ("consent", "1", {"agrees": True}),
    ("consent", " 0. ", {"agrees": False}),
    ("consent", "yes", {"agrees": True}),
    ("consent", "Consent: no", {"agrees": False}),
    ("vote_now", "Not sure at first.\nVote now: yes", {"agrees": True}),
    ("amount", "15000", {"amount": 15000}),
    ("amount", "$15,000", {"amount": 15000}),
    ("amount", "15.000", {"amount": 15000}),
    ("amount", "15’000", {"amount": 15000}),
    ("amount", "**Amount:** `15000`", {"amount": 15000}),
    ("amount", "金额：15，000", {"amount": 15000}),
    ("amount", '{"amount": "15000"}', {"amount": 15000}),
    ("amount", "Between 12000 and 20000:\nAmount: 15 000", {"amount": 15000}),
    ("ranking", "Ranking: 2 > 1 > 4 > 3\nCertainty: sure", {"ranking": ORDER, "certainty": "sure"}),
    ("ranking", "So:\nCertainty: very unsure\n**Ranking:** 2, 1, 4, 3", {"ranking": ORDER, "certainty": "very_unsure"}),
    ("ranking", '{"ranking": [2, 1, 4, 3], "certainty": "sure"}', {"ranking": ORDER, "certainty": "sure"}),
    ("distribution", "D2", {"distribution": "D2"}),
    ("distribution", "D1 has the largest average.\nDistribution: D2", {"distribution": "D2"}),
]


@pytest.mark.parametrize(("act", "text", "value"), READ)
def test_the_bare_answer_the_last_labelled_line_and_json_are_read(act: str, text: str, value: dict[str, Any]) -> None:
    assert Asked().read(act, text) == value


@pytest.mark.parametrize("act", ["principle", "consent", "amount", "ranking", "choice", "distribution"])
@pytest.mark.parametrize(
    "text",
    [
        "1. Because equality matters, I choose principle three.",
        "I vote for principle 1",
        "My answer is 1",
        "I choose the second option",
        "Yes, 1",
        "1 or 2",
        "1 y 0",
        "Not 3",
        "2\n1\n4\n3\nCertainty: sure",
        "Principle: 1\nPrinciple: 2",
        "maybe",
        "",
    ],
)
def test_a_sentence_adopts_nothing_and_is_asked_again(act: str, text: str) -> None:
    assert Asked().read(act, text) is None


@pytest.mark.parametrize(
    ("act", "text"),
    [
        ("amount", "15.00"),
        ("amount", "15k"),
        ("amount", "1万5千"),
        ("amount", "fifteen thousand"),
        ("amount", "999"),
        ("amount", "Amount: 05,000"),
        ("principle", "~~\nPrinciple: 3\n~~"),
        ("principle", "Principle: not 3"),
        ("principle", "原则：不是3"),
        ("principle", "原则1（最大化平均收入）"),
        ("principle", "principle 3 (maximizing the floor income)"),
        ("principle", "Principio: 3 o 4"),
        ("principle", "Principle: 3\nAnswer: 2"),
        ("principle", "Principle: 3 (maximizing the average income)"),
        ("consent", "1 (no)"),
        ("consent", "0!"),
        ("amount", "$15,000€"),
        ("amount", "$15,000 $"),
        ("amount", "015000"),
        ("ranking", "Ranking: 1 < 2 < 3 < 4\nCertainty: sure"),
        ("ranking", "Ranking: 1 > 2 > 3 > 4\nCertainty: not sure"),
        ("amount", "10000001"),
        ("amount", "-5"),
        ("ranking", "Ranking: 2 > 1 > 4 > 3"),
        ("ranking", "Ranking: 2 > 1 > 4 > 4\nCertainty: sure"),
        ("ranking", "Ranking: 2 > 1 > 4\nCertainty: sure"),
        ("choice", "Principle: 3\nCertainty: sure"),
        ("choice", "Principle: 3\nAmount: about 15000\nCertainty: sure"),
        ("choice", "Principle: 3\nAmount: 15000"),
        ("principle", "0"),
        ("principle", "7"),
        ("principle", "Principle: 3 (maximizing the floor income)"),
        ("distribution", "2"),
        ("distribution", "D5"),
    ],
)
def test_an_incomplete_or_impossible_answer_is_asked_again(act: str, text: str) -> None:
    assert Asked().read(act, text) is None


def test_a_choice_has_an_amount_with_principles_3_and_4_alone() -> None:
    def choose(text: str) -> tuple[int | None, str]:
        request = Asked().request("choice")
        value, _ = parse_reply(AIMessage(text), ReplySchema(request.schema, SHARED_TEMPLATES, request.form))
        choice = make_choice(value)  # type: ignore[arg-type]
        assert choice is not None
        return choice.constraint_amount, choice.reasoning

    assert choose("Principle: 4\nAmount: 15,000\nCertainty: sure\nReason: it is safe") == (15000, "it is safe")
    assert choose("Amount: $15,000\nPrinciple: 4\nAmount: 15000\nCertainty: sure") == (15000, "")
    assert choose("Principle: 1\nAmount: none\nCertainty: sure") == (None, "")
    assert choose("Principle: 2\nAmount: 15000\nCertainty: sure") == (None, "")


SHOWN = {
    "en": {
        "ranking": [
            "Ranking: 1 > 2 > 3 > 4",
            "Ranking: 4 > 3 > 2 > 1",
            "Certainty: very unsure",
            "Certainty: very sure",
        ],
        "choice": ["Principle: 1", "Principle: 4", "Amount: 1000", "Amount: none", "Certainty: sure", "Reason: …"],
        "principle": ["Principle: 1", "Principle: 2", "Principle: 3", "Principle: 4"],
        "amount": ["Amount: 1000", "Amount: 10000000"],
        "consent": ["Consent: yes", "Consent: no"],
        "vote_now": ["Vote now: yes", "Vote now: no"],
        "distribution": ["Distribution: D1", "Distribution: D2", "Distribution: D3", "Distribution: D4"],
    },
    "es": {
        "ranking": ["Orden: 1 > 2 > 3 > 4", "Certeza: muy seguro"],
        "choice": ["Principio: 4", "Cantidad: 1000", "Cantidad: ninguna", "Certeza: seguro", "Razón: …"],
        "consent": ["Consentimiento: sí", "Consentimiento: no"],
        "vote_now": ["Votar ahora: sí"],
        "distribution": ["Distribución: D4"],
    },
    "zh": {
        "ranking": ["排序：1 > 2 > 3 > 4", "把握：非常确定"],
        "choice": ["原则：4", "金额：1000", "金额：无", "把握：确定", "理由：…"],
        "consent": ["同意：是", "同意：否"],
        "vote_now": ["现在投票：是"],
        "distribution": ["方案：D4"],
    },
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_question_shows_every_form_in_the_language_of_the_seat(language: str) -> None:
    for act, lines in SHOWN[language].items():
        form = Asked(language).request(act).form
        text = format_form(form, language, ["reason"] if act == "choice" else [])
        assert [line for line in lines if f"`{line}`" not in text] == []
        again = format_repeated_question(form, language)
        assert [line for line in lines if f"`{line}`" not in again] in ([], [line for line in lines if "…" in line])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_shown_line_is_read_in_every_language_of_a_seat(language: str) -> None:
    fields = Asked(language).request("choice").form.fields + Asked(language).request("ranking").form.fields[:1]
    for tag in LANGUAGES:
        for field in fields:
            act = "ranking" if field.key == "ranking" else "choice"
            form_field = next(
                form_field for form_field in Asked(tag).request(act).form.fields if form_field.key == field.key
            )
            assert set(field.labels) == set(form_field.labels)
            for example in field.examples:
                assert form_field.parse(example) == field.parse(example)


@pytest.mark.long
@settings(max_examples=60)
@given(text=st.text(max_size=200), language=st.sampled_from(LANGUAGES), number=st.sampled_from("1234"))
def test_any_text_followed_by_one_labelled_line_gives_that_line_and_without_it_nothing(
    text: str, language: str, number: str
) -> None:
    form = Asked(language).request("principle").form
    labels = [label.casefold() for label in form.fields[0].labels]
    if not any(label in text.casefold() for label in labels):
        assert Asked(language).read("principle", f"{text}\n{form.fields[0].labels[0]}: {number}") == {
            "principle": number
        }
        assert Asked(language).read("principle", f"{text}\nso {number} it is") is None
