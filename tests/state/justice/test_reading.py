"""Free text is read strictly: a clear reply is read, anything else is a typed error."""

from collections.abc import Callable
from copy import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from moot.state.justice.principle import PRINCIPLES, Ranking, get_ballot_number
from moot.state.justice.reading.amount import read_amount
from moot.state.justice.reading.distribution import read_distribution
from moot.state.justice.reading.principle import FAULTS, Unreadable, read_consent, read_principle
from moot.state.justice.reading.ranking import read_ranking


def principle(text: str, language: str = "en") -> int:
    return get_ballot_number(read_principle(text, language))


@pytest.mark.parametrize(("digit", "word", "sí"), [("1", "Yes", "sí"), ("0", "No", "no")])
@pytest.mark.parametrize(
    "form", ["{0}", " {0} ", "{0}.", "{0}!", "{1}, {0}", "My answer is {0}", "{0} ({2})", "**{0}**", "我选{0}"]
)
def test_vector_24_a_consent_is_one_digit_with_no_word_against_it(form: str, digit: str, word: str, sí: str) -> None:
    assert read_consent(form.format(digit, word, sí)) is (digit == "1")


@pytest.mark.parametrize("text", ["Yes, 0", "No, 1", "0 (sí)", "1 (no)"])
def test_a_consent_whose_word_contradicts_its_digit_is_no_answer(text: str) -> None:
    with pytest.raises(Unreadable) as error:
        read_consent(text)
    assert error.value.fault == "answer_unclear"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("1 y 0", "multiple_valid_numbers"),
        ("yes", "use_digits_not_words"),
        ("maybe", "use_digits_not_words"),
        ("", "empty_response"),
        ("10", "number_out_of_range"),
        ("-1", "number_out_of_range"),
        ("1.0", "number_out_of_range"),
        ("0, in round 7", "answer_unclear"),
        ("我不同意1", "answer_unclear"),
        ("no quiero 1", "answer_unclear"),
    ],
)
def test_vector_24_any_other_consent_is_an_error(text: str, fault: str) -> None:
    with pytest.raises(Unreadable) as error:
        read_consent(text)
    assert error.value.fault == fault


@pytest.mark.parametrize(
    ("text", "language", "number"),
    [
        ("I vote for principle 1", "en", 1),
        ("3 (Avg+Floor)", "en", 3),
        ("I prefer the floor principle", "en", 1),
        ("我选择2", "zh", 2),
        ("２", "zh", 2),
        ("Principle 3 with a floor of $15,000", "en", 3),
        ("Principle 4, which gives D1", "en", 4),
        ("maximizing_average_floor_constraint", "en", 3),
        ("Average with a floor constraint of 15000", "en", 3),
        ("The range constraint", "es", 4),
        ("Promedio con restricción de piso", "es", 3),
        ("la restricción rango", "es", 4),
        ("el piso", "es", 1),
        ("el promedio", "es", 2),
        ("最低约束", "zh", 3),
        ("范围约束下的平均", "zh", 4),
        ("底线", "zh", 1),
        ("平均", "zh", 2),
        ("maximizing_floor", "zh", 1),
    ],
)
def test_vector_24_a_principle_is_read_by_digit_or_name(text: str, language: str, number: int) -> None:
    assert principle(text, language) == number


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("I choose the second option", "use_digits_not_words"),
        ("1 or 2", "multiple_valid_numbers"),
        ("1,2", "multiple_valid_numbers"),
        ("0", "zero_not_valid"),
        ("7", "number_out_of_range"),
        ("15,000", "number_out_of_range"),
        ("1.5", "number_out_of_range"),
        ("D3", "invalid_format_general"),
        ("", "empty_response"),
        (" \n", "empty_response"),
        ("B", "no_letter_choices"),
        ("Option (c)", "no_letter_choices"),
        ("the fairest one of them" + " by far" * 20, "response_too_long"),
        ("whatever is fairest", "invalid_format_general"),
        ("not the floor", "answer_unclear"),
        ("Not 1.", "answer_unclear"),
        ("I will not vote for 3.", "answer_unclear"),
        ("3 (maximizing the floor)", "answer_unclear"),
        ("floor rather than average", "principle_content_unclear"),
        ("the floor or the average", "principle_content_unclear"),
        ("floor constraint and range constraint", "principle_content_unclear"),
        ("average with a cap", "principle_content_unclear"),
        ("el piso", "invalid_format_general"),
    ],
)
def test_vector_24_anything_unclear_is_a_typed_error(text: str, fault: str) -> None:
    with pytest.raises(Unreadable) as error:
        read_principle(text, "en")
    assert error.value.fault == fault


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("15000", "en"),
        ("$15,000", "en"),
        ("15k", "en"),
        ("15 K", "en"),
        ("15 thousand", "en"),
        ("15,000.00 dollars", "en"),
        ("15000USD", "en"),
        ("15.000", "es"),
        ("15,000", "es"),
        ("15.000,00", "es"),
        ("15 mil", "es"),
        ("1万5千", "zh"),
        ("1万5000元", "zh"),
        ("1.5万", "zh"),
        ("１５０００", "zh"),
        ("For principle 3: 15000 (page 2)", "en"),
        ("原则3，15000", "zh"),
        ("By 2030 I want 15000, yes 15,000", "en"),
        ("- 15000", "en"),
    ],
)
def test_vector_18_fifteen_thousand_in_every_spelling(text: str, language: str) -> None:
    assert read_amount(text, language) == 15000


@pytest.mark.parametrize(
    ("text", "language", "amount"),
    [("15万", "zh", 150000), ("2000", "en", 2000), ("2 million", "en", 2_000_000), ("$2000 in 2024", "en", 2000)],
)
def test_other_amounts(text: str, language: str, amount: int) -> None:
    assert read_amount(text, language) == amount


@pytest.mark.parametrize(
    ("text", "language", "fault"),
    [
        ("", "en", "empty_response"),
        ("abc", "en", "amount_missing"),
        ("principle 3", "en", "amount_missing"),
        ("0", "en", "amount_out_of_range"),
        ("-5", "en", "amount_out_of_range"),
        ("−5", "en", "amount_out_of_range"),
        ("-$15,000", "en", "amount_out_of_range"),
        ("999", "en", "amount_out_of_range"),
        ("10000001", "en", "amount_out_of_range"),
        ("9" * 5000, "en", "amount_out_of_range"),
        ("15.000", "en", "amount_out_of_range"),
        ("15000.5", "en", "amount_not_whole"),
        ("15000,5", "es", "amount_not_whole"),
        ("15,00", "en", "amount_unclear"),
        ("1.234,567", "es", "amount_unclear"),
        ("15m", "en", "amount_unclear"),
        ("50%", "en", "amount_unclear"),
        ("1万5", "zh", "amount_unclear"),
        ("15000 or 20000", "en", "amounts_differ"),
        ("15000-20000", "en", "amounts_differ"),
        ("15 000", "en", "amounts_differ"),
    ],
)
def test_vector_18_any_other_amount_is_an_error(text: str, language: str, fault: str) -> None:
    with pytest.raises(Unreadable) as error:
        read_amount(text, language)
    assert error.value.fault == fault


def test_the_bounds_of_an_amount_are_included() -> None:
    assert [read_amount(text) for text in ("1000", "10,000,000")] == [1000, 10_000_000]
    assert read_amount("5", "en", 1, 10) == 5


LINES_EN = """My ranking, best first:
1. **Maximizing the average with a floor constraint**
2. Maximizing the floor
3. Maximizing the average
4. Maximizing the average with a range constraint
Certainty: very sure"""
LINES_ES = """- a) Principio 3 (restricción de piso)
- b) Principio 1
- c) Principio 2
- d) Principio 4
Certeza: muy segura"""
LINES_ZH = """第1名：原则3
第2名：原则1
第3名：平均
第4名：范围约束
确定程度：非常确定"""


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (LINES_EN, "en"),
        (LINES_ES, "es"),
        (LINES_ZH, "zh"),
        ("3,1,2,4 very sure", "en"),
        ("3 > 1 > 2 > 4\nI am very sure.", "en"),
        ("3、1、2、4，非常确定", "zh"),
        ("3\n1\n2\n4\nvery_sure", "en"),
        ("1. 3\n2. 1\n3. 2\n4. 4\n- certainty (very_unsure to very_sure): very_sure", "en"),
        ("3 (floor constraint)\n1 (floor)\n2 (average)\n4 (range constraint)\ncertainty = very sure", "en"),
    ],
)
def test_a_ranking_is_read_in_every_form(text: str, language: str) -> None:
    ranking = read_ranking(text, language)
    assert [get_ballot_number(each) for each in ranking.order] == [3, 1, 2, 4]
    assert (ranking.certainty, ranking.defaulted, ranking.raw_replies) == ("very_sure", False, [text])


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "empty_response"),
        ("3,1,2 sure", "ranking_incomplete"),
        ("1. fairness\n2. growth\n3. balance\n4. equality\nsure", "ranking_unclear"),
        ("From worst to best: 4, 1, 2, 3\nsure", "ranking_reversed"),
        ("Principle 1: third\nPrinciple 2: first\nPrinciple 3: second\nPrinciple 4: last\nsure", "ranking_unclear"),
        ("3,1,2,2 sure", "ranking_repeats"),
        ("3\n3\n2\n1\nsure", "ranking_repeats"),
        ("3,1,2,5 sure", "number_out_of_range"),
        ("3,1,2,4 or 1,3,2,4; sure", "ranking_unclear"),
        ("3 or 1\n2\n4\n1\nsure", "ranking_unclear"),
        ("3 maximizing floor\n2\n4\n1\nsure", "ranking_unclear"),
        ("Maximizing average (with floor constraint)\n1\n2\n4\nsure", "ranking_unclear"),
        ("3,1,2,4", "certainty_missing"),
        ("3,1,2,4; I am not sure", "certainty_missing"),
        ("3,1,2,4; certainty: sure, unsure", "certainty_unclear"),
    ],
)
def test_any_other_ranking_is_an_error(text: str, fault: str) -> None:
    with pytest.raises(Unreadable) as error:
        read_ranking(text, "en")
    assert error.value.fault == fault


def outcome(read: Callable[[str, str], object], text: str, language: str) -> object:
    try:
        return read(text, language)
    except Unreadable as error:
        return error.fault


@given(st.text(max_size=200), st.sampled_from(["en", "es", "zh"]))
def test_any_text_is_read_or_refused_with_a_reason(text: str, language: str) -> None:
    assert outcome(read_principle, text, language) in {*PRINCIPLES, *FAULTS}
    assert outcome(lambda reply, _: read_consent(reply), text, language) in {True, False, *FAULTS}
    amount = outcome(read_amount, text, language)
    assert amount in FAULTS or (isinstance(amount, int) and 1000 <= amount <= 10_000_000)
    ranking = outcome(read_ranking, text, language)
    assert ranking in FAULTS or isinstance(ranking, Ranking)


def test_an_error_survives_a_copy() -> None:
    error = copy(Unreadable("zero_not_valid", "0" * 100))
    assert (error.fault, error.seen, str(error)) == ("zero_not_valid", "0" * 80, f"zero_not_valid: {'0' * 80!r}")


@pytest.mark.parametrize(
    "form",
    ["{0}", " {0}. ", "**{0}**", "Distribution {0}", "My answer is {0}", "distribución {0}", "方案{0}"],
)
@pytest.mark.parametrize("name", ["D1", "D4"])
def test_a_distribution_is_read_by_its_name(form: str, name: str) -> None:
    assert read_distribution(form.format(name)) == name


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "empty_response"),
        ("3", "invalid_format_general"),
        ("Distribution 3", "invalid_format_general"),
        ("principle 3", "invalid_format_general"),
        ("D1 or D2", "multiple_valid_numbers"),
        ("D5", "number_out_of_range"),
        ("not D1", "answer_unclear"),
        ("maybe D3?", "answer_unclear"),
        ("Agent_2 says D2", "answer_unclear"),
        ("Principle 3 picks D2", "answer_unclear"),
    ],
)
def test_what_names_no_distribution_plainly_is_no_answer_and_a_digit_could_be_a_column(text: str, fault: str) -> None:
    with pytest.raises(Unreadable) as error:
        read_distribution(text)
    assert error.value.fault == fault
