"""What participants are told to write, and the names they are told, can be read back from their answers."""

import re
from itertools import product

import pytest
from moot.prompts import phrases
from moot.state.justice.principle import CERTAINTIES, PRINCIPLES, number_of, numbered
from moot.state.justice.reading.amount import read_amount
from moot.state.justice.reading.choice import read_choice
from moot.state.justice.reading.principle import read_consent, read_principle
from moot.state.justice.reading.ranking import read_ranking

LANGUAGES = ("en", "es", "zh")
LEAST, MOST = 1_000, 10_000_000


def examples(language: str, key: str) -> list[str]:
    """The examples a retry shows, without their quotation marks."""
    said = phrases("justice").say(language, f"examples.{key}", least=f"{LEAST:,}", most=f"{MOST:,}")
    return re.findall("[“«](.*?)[”»]", said, re.DOTALL)


def example(language: str, key: str) -> str:
    """The first of them."""
    return examples(language, key)[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_example_is_an_answer_that_can_be_read(language: str) -> None:
    ranking = read_ranking(example(language, "ranking"), language)
    assert ([number_of(one) for one in ranking.order], ranking.certainty) == ([2, 1, 3, 4], "sure")
    choices = [read_choice(each, language, LEAST, MOST) for each in examples(language, "choice")]
    assert [(number_of(one.principle), one.constraint_amount) for one in choices] == [(3, LEAST), (4, MOST)]
    assert [one.certainty for one in choices] == ["sure", "unsure"]
    assert all(one.reasoning for one in choices)
    assert read_consent(example(language, "consent")) is True
    assert read_principle(example(language, "principle"), language) == numbered(2)
    amounts = [read_amount(each, language, LEAST, MOST) for each in examples(language, "amount")]
    assert amounts == [LEAST, MOST], "the bounds: no answer is put into anybody's mouth"


@pytest.mark.parametrize(("language", "principle"), list(product(LANGUAGES, PRINCIPLES)))
def test_a_principle_is_read_by_the_name_and_the_number_it_is_told_by(language: str, principle: str) -> None:
    say, number = phrases("justice").say, PRINCIPLES.index(principle) + 1
    name = say(language, f"principles.{principle}")
    assert read_principle(name, language) == principle
    assert read_principle(say(language, "table.rule", number=number, name=name), language) == principle


@pytest.mark.parametrize(("language", "certainty"), list(product(LANGUAGES, CERTAINTIES)))
def test_a_certainty_is_read_by_the_words_it_is_told_by(language: str, certainty: str) -> None:
    say = phrases("justice").say
    sure, words = (say(language, f"certainties.{one}") for one in ("sure", certainty))
    said, chosen = (re.sub(f"(?<=[:：]) ?{sure}", words, example(language, key)) for key in ("ranking", "choice"))
    assert read_ranking(said, language).certainty == certainty
    assert read_choice(chosen, language, LEAST, MOST).certainty == certainty


@pytest.mark.parametrize(("language", "number"), list(product(LANGUAGES, (1, 2))))
def test_no_amount_is_read_by_the_word_that_is_asked_for(language: str, number: int) -> None:
    word = {"en": "none", "es": "ninguna", "zh": "无"}[language]
    said = example(language, "choice").replace(f"{LEAST:,}", word).replace("3\n", f"{number}\n")
    choice = read_choice(said, language, LEAST, MOST)
    assert (number_of(choice.principle), choice.constraint_amount) == (number, None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_amount_is_read_as_it_is_told(language: str) -> None:
    for amount in (1000, 14000, 15001, 128800, 10_000_000):
        rule = phrases("justice").say(language, "table.rule_amount", number=3, name="", amount=f"{amount:,}")
        assert f"${amount:,}" in rule
        assert read_amount(f"${amount:,}", language, LEAST, MOST) == amount
        assert read_amount(str(amount), language, LEAST, MOST) == amount
