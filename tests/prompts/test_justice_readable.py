"""What participants are told to write, and the names they are told, can be read back from their answers."""

import re
from itertools import product

import pytest
from moot.prompts import load_phrases
from moot.state.justice.principle import CERTAINTIES, PRINCIPLES, get_ballot_number, get_principle
from moot.state.justice.reading.amount import read_amount
from moot.state.justice.reading.choice import read_choice
from moot.state.justice.reading.principle import read_consent, read_principle
from moot.state.justice.reading.ranking import read_ranking

LANGUAGES = ("en", "es", "zh")
LEAST, MOST = 1_000, 10_000_000


WORDS = {
    "en": ("Principle: {0}\nAmount: {1}\nCertainty: {2}\nReason: It suits me best.", "Certainty: {0}", "none"),
    "es": ("Principio: {0}\nCantidad: {1}\nCerteza: {2}\nRazón: Es el que más me conviene.", "Certeza: {0}", "ninguna"),
    "zh": ("原则：{0}\n金额：{1}\n确定程度：{2}\n理由：它最适合我。", "确定程度：{0}", "无"),
}
"""A choice and a certainty in the words that are asked for, and the word for no amount."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_form_that_a_retry_shows_can_be_read(language: str) -> None:
    say, (choice, certain, _) = load_phrases("justice").translate_phrase, WORDS[language]
    sure = say(language, "certainties.sure")
    shown = {key: say(language, f"forms.{key}", least="", most="", certainties=sure) for key in ("ranking", "choice")}
    for label in re.findall(r"(?m)^([^\n:：]+[:：])", choice):
        assert label in shown["choice"]
    assert certain.format("").strip() in shown["ranking"]
    ranking = read_ranking(f"2\n1\n3\n4\n{certain.format(sure)}", language)
    assert ([get_ballot_number(one) for one in ranking.order], ranking.certainty) == ([2, 1, 3, 4], "sure")
    read = read_choice(choice.format(3, f"{LEAST:,}", sure), language, LEAST, MOST)
    assert (get_ballot_number(read.principle), read.constraint_amount, read.certainty) == (3, LEAST, "sure")
    assert read.reasoning == choice.splitlines()[-1].split("：")[-1].split(": ")[-1]
    for number, digit in enumerate(re.findall("[“«]([1-4])[”»]", say(language, "forms.principle")), 1):
        assert read_principle(digit, language) == get_principle(number)
    assert [read_consent(one) for one in re.findall("[“«]([01])[”»]", say(language, "forms.consent"))] == [True, False]


@pytest.mark.parametrize(("language", "principle"), list(product(LANGUAGES, PRINCIPLES)))
def test_a_principle_is_read_by_the_name_and_the_number_it_is_told_by(language: str, principle: str) -> None:
    say, number = load_phrases("justice").translate_phrase, PRINCIPLES.index(principle) + 1
    name = say(language, f"principles.{principle}")
    assert read_principle(name, language) == principle
    assert read_principle(say(language, "table.rule", number=number, name=name), language) == principle


@pytest.mark.parametrize(("language", "certainty"), list(product(LANGUAGES, CERTAINTIES)))
def test_a_certainty_is_read_by_the_words_it_is_told_by(language: str, certainty: str) -> None:
    words = load_phrases("justice").translate_phrase(language, f"certainties.{certainty}")
    choice, certain, none = WORDS[language]
    said, chosen = f"2\n1\n3\n4\n{certain.format(words)}", choice.format(1, none, words)
    assert read_ranking(said, language).certainty == certainty
    assert read_choice(chosen, language, LEAST, MOST).certainty == certainty


@pytest.mark.parametrize(("language", "number"), list(product(LANGUAGES, (1, 2))))
def test_no_amount_is_read_by_the_word_that_is_asked_for(language: str, number: int) -> None:
    said = WORDS[language][0].format(
        number, WORDS[language][2], load_phrases("justice").translate_phrase(language, "certainties.sure")
    )
    choice = read_choice(said, language, LEAST, MOST)
    assert (get_ballot_number(choice.principle), choice.constraint_amount) == (number, None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_amount_is_read_as_it_is_told(language: str) -> None:
    for amount in (1000, 14000, 15001, 128800, 10_000_000):
        rule = load_phrases("justice").translate_phrase(
            language, "table.rule_amount", number=3, name="", amount=f"{amount:,}"
        )
        assert f"${amount:,}" in rule
        assert read_amount(f"${amount:,}", language, LEAST, MOST) == amount
        assert read_amount(str(amount), language, LEAST, MOST) == amount
