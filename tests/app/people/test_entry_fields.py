"""An entry at the terminal is a number, a name, or a line such as `Vote: B`."""

from dataclasses import replace
from typing import Any

import pytest
from moot.app.people.entry_fields import InvalidEntryError, list_fields
from moot.state.ballot import BallotFormat, make_ballot_schema

ENTRIES: list[tuple[BallotFormat, str, Any]] = [
    ("choice", "2", "B"),
    ("choice", "B", "B"),
    ("choice", "Vote: b.", "B"),
    ("choice", "投票：B", "B"),
    ("ranking", "3,2,1", ["C", "B", "A"]),
    ("ranking", "C B A", ["C", "B", "A"]),
    ("ranking", "Ranking: C > B > A", ["C", "B", "A"]),
    ("ranking", "排序：C＞B＞A", ["C", "B", "A"]),
    ("choice", "Vote B", "B"),
    ("approvals", "Apruebo: A, C", ["A", "C"]),
    ("approvals", "none", []),
    ("approvals", "Approve: none", []),
    ("approvals", "赞成：无", []),
]


@pytest.mark.parametrize(("kind", "entry", "value"), ENTRIES)
def test_a_number_a_name_and_a_labelled_line_are_answers(kind: BallotFormat, entry: str, value: Any) -> None:
    (field,) = [
        field for field in list_fields(make_ballot_schema(kind, "ABC").model_json_schema()) if field.name == kind
    ]
    assert field.parse_entry(entry, "en") == value


@pytest.mark.parametrize(
    ("kind", "entry"),
    [
        *(("choice", entry) for entry in ("not B", "4", "Consent: B", "B*", "2*", "Vote: B*")),
        *(("ranking", entry) for entry in ("C* B A", "C*, B, A", "C C", "C x", "none", "Approve: C, B, A")),
        *(("approvals", entry) for entry in ("", "Approve: ", "C > B > A")),
    ],
)
def test_anything_else_is_asked_for_again(kind: BallotFormat, entry: str) -> None:
    (field,) = [
        field for field in list_fields(make_ballot_schema(kind, "ABC").model_json_schema()) if field.name == kind
    ]
    with pytest.raises(InvalidEntryError):
        field.parse_entry(entry, "en")


def test_an_option_that_is_a_number_is_entered_by_its_name_alone() -> None:
    (ranking,) = [
        field for field in list_fields(make_ballot_schema("ranking", "253").model_json_schema()) if field.options
    ]
    assert ranking.parse_entry("2, 3, 5", "en") == ["2", "3", "5"]
    with pytest.raises(InvalidEntryError):
        ranking.parse_entry("1, 2", "en")


@pytest.mark.parametrize(
    ("kind", "entry", "value"),
    [
        ("choice", "1", "B"),
        ("choice", "C (2)", "C"),
        ("choice", "plant limes, and water them", "D"),
        ("approvals", "plant limes, and water them, 3", ["D", "A"]),
        ("ranking", "D (Plant limes, and water them.) > A > B > C", ["D", "A", "B", "C"]),
    ],
)
def test_a_text_of_an_option_is_that_option(kind: BallotFormat, entry: str, value: Any) -> None:
    texts = {"A": "3", "B": "1", "C": "2", "D": "Plant limes, and water them."}
    schema = make_ballot_schema(kind, "ABCD").model_json_schema()
    (field,) = [field for field in list_fields(schema, "en", texts) if field.name == kind]
    assert field.parse_entry(entry, "en") == value


@pytest.mark.parametrize("kind", ["approvals", "ranking"])
@pytest.mark.parametrize("entry", ["no B", "No Yes", "no 2", "A yes"])
def test_between_blanks_the_text_of_an_option_is_not_that_option(kind: BallotFormat, entry: str) -> None:
    schema = make_ballot_schema(kind, "AB").model_json_schema()
    (field,) = [field for field in list_fields(schema, "en", {"A": "No", "B": "Yes"}) if field.name == kind]
    assert field.parse_entry("B A", "en") == field.parse_entry("2 1", "en") == field.parse_entry("yes, no", "en")
    with pytest.raises(InvalidEntryError):
        field.parse_entry(entry, "en")


PRINCIPLES = {"1": "Maximizing the floor income: the lowest is largest.", "3": "Maximizing the average income: it is."}
MIXED = {"A": "Buses: more of them", "B": "Trams"}
SHARED = {"A": "Buses: more of them", "B": "Buses: fewer of them"}
CERTAINTIES = {"unsure": "unsure", "very_sure": "very sure"}


@pytest.mark.parametrize(
    ("name", "texts", "entry", "value"),
    [
        ("principle", PRINCIPLES, "Maximizing the floor income.", "1"),
        ("principle", PRINCIPLES, "3 (maximizing the average income)", "3"),
        ("principle", PRINCIPLES, "Principle: maximizing the average income", "3"),
        ("principle", PRINCIPLES, "principle 3", "3"),
        ("principle", PRINCIPLES, "3 (maximizing the floor income)", None),
        ("principle", PRINCIPLES, "not principle 3", None),
        ("principle", PRINCIPLES, "maximizing", None),
        ("principle", {"1": "最大化最低收入：最低收入最高。", "2": "最大化平均收入：平均。"}, "最大化平均收入", "2"),
        ("choice", MIXED, "Buses: more of them", "A"),
        ("choice", MIXED, "Buses", None),
        ("choice", SHARED, "Buses", None),
        ("principle", PRINCIPLES, "2", None),
        ("choice", {"A": "2: two trees", "B": "1: one tree"}, "2", "A"),
        ("choice", {"A": "2 trees", "B": "1 tree"}, "2", None),
        ("choice", {"A": "2 trees", "B": "1 tree"}, "2 trees", "A"),
        ("certainty", CERTAINTIES, "very sure", "very_sure"),
        ("certainty", CERTAINTIES, "Certainty: Very sure.", "very_sure"),
        ("certainty", CERTAINTIES, "2", "very_sure"),
        ("certainty", CERTAINTIES, "not very sure", None),
        ("certainty", CERTAINTIES, "sure", None),
    ],
)
def test_a_principle_and_a_certainty_are_entered_in_words(
    name: str, texts: dict[str, str], entry: str, value: str | None
) -> None:
    (field,) = list_fields({"properties": {name: {"enum": list(texts)}}}, "en", texts)
    if value:
        assert field.parse_entry(entry, "en") == value
    else:
        with pytest.raises(InvalidEntryError):
            field.parse_entry(entry, "en")


@pytest.mark.parametrize(
    ("name", "word", "schema"),
    [
        ("choice", "abstain", {"enum": ["A", "B"]}),
        ("choice", "弃权", {"enum": ["A", "B"]}),
        ("ranking", "abstain", {"type": "array", "items": {"enum": ["A", "B"]}, "minItems": 1}),
        ("approvals", "none", {"type": "array", "items": {"enum": ["A", "B"]}}),
        ("changed_by", "none", {"enum": ["", "None", "B"]}),
    ],
)
def test_a_word_of_the_form_that_is_also_the_text_of_an_option_is_neither(
    name: str, word: str, schema: dict[str, Any]
) -> None:
    (field,) = list_fields({"properties": {name: schema}}, "en", {"A": word, "B": "plant oaks"})
    assert field.parse_entry("plant oaks", "en") in ("B", ["B"])
    with pytest.raises(InvalidEntryError):
        field.parse_entry(word, "en")


@pytest.mark.parametrize("entry", ["15", "15 kg", "15kg.", "１５ ｋｇ"])
@pytest.mark.parametrize("name", ["low", "answer", "high"])
def test_a_number_may_have_the_unit_of_the_question_and_no_other(name: str, entry: str) -> None:
    properties = {name: {"type": "number"}, "unit": {"const": "kg"}, "agreement": {"type": "number"}}
    fields = {field.name: field for field in list_fields({"properties": properties})}
    assert fields[name].parse_entry(entry, "en") == 15
    for wrong in ("15 lb", "15 KG", "15 kg or so", "kg", "15-20 kg"):
        with pytest.raises(InvalidEntryError):
            fields[name].parse_entry(wrong, "en")
    with pytest.raises(InvalidEntryError):
        fields["agreement"].parse_entry("15 kg", "en")


@pytest.mark.parametrize("entry", ["accept", "acepto", "Contestación: acepto", "答复：接受", "1"])
def test_the_words_of_the_form_are_entries(entry: str) -> None:
    (field,) = list_fields({"properties": {"answer": {"enum": ["accept", "object"]}}})
    assert field.parse_entry(entry, "en") == "accept"


@pytest.mark.parametrize(
    ("name", "schema", "entry", "value"),
    [
        ("certainty", {"type": "integer", "minimum": 0, "maximum": 100}, "70%", 70),
        ("certainty", {"type": "integer", "minimum": 0, "maximum": 100}, "Certainty: 70 %", 70),
        ("changed_by", {"enum": ["", "Ben"]}, "Changed by: none", ""),
        ("changed_by", {"enum": ["", "Ben"]}, "Ben", "Ben"),
        ("amount", {"anyOf": [{"type": "number"}, {"type": "null"}]}, "Amount: none", None),
        ("amount", {"anyOf": [{"type": "number"}, {"type": "null"}]}, "无", None),
    ],
)
def test_an_entry_may_be_a_percentage_or_the_word_none_where_the_form_has_them(
    name: str, schema: dict[str, Any], entry: str, value: Any
) -> None:
    (field,) = list_fields({"properties": {name: schema}})
    assert field.parse_entry(entry, "en") == value
    for wrong in ("$70", "70 €", "70*"):
        with pytest.raises(InvalidEntryError):
            replace(field, name="certainty").parse_entry(wrong, "en")


def test_an_option_with_a_label_in_its_name_is_entered_whole() -> None:
    schema = make_ballot_schema("choice", ["Vote: later", "later"]).model_json_schema()
    (choice,) = [field for field in list_fields(schema) if field.name == "choice"]
    assert choice.parse_entry("Vote: later", "en") == "Vote: later"


@pytest.mark.parametrize("entry", ["15000", "15,000", "15.000", "15 000", "$15,000", "Cantidad: 15.000 €"])
@pytest.mark.parametrize("language", ["en", "es"])
def test_an_amount_at_the_terminal_is_written_as_in_a_ballot(entry: str, language: str) -> None:
    (field,) = list_fields({"properties": {"amount": {"type": "integer", "minimum": 1}}})
    assert field.parse_entry(entry, language) == 15_000


def test_a_zero_is_a_no() -> None:
    (field,) = list_fields({"properties": {"agrees": {"type": "boolean"}}})
    assert [field.parse_entry(entry, "en") for entry in ("1", "2", "0", "yes", "no")] == [
        True,
        False,
        False,
        True,
        False,
    ]


@pytest.mark.parametrize(("entry", "value"), [("7", 7), ("７", 7), ("Amount: 7", 7)])
def test_a_number_is_written_in_digits(entry: str, value: int) -> None:
    (field,) = list_fields({"properties": {"amount": {"type": "integer", "minimum": 0, "maximum": 99}}})
    assert field.parse_entry(entry, "en") == value
    for wrong in ("1_0", "7.0", "7.5", "1e", "nan", "100", "seven"):
        with pytest.raises(InvalidEntryError):
            field.parse_entry(wrong, "en")


@pytest.mark.parametrize("entry", ['{"a": 1, "a": 2}', "[" * 100_000, "9" * 5000, "{"])
def test_json_that_cannot_be_read_is_asked_for_again(entry: str) -> None:
    schema = {"type": "object", "properties": {"facts": {"type": "object"}}, "required": ["facts"]}
    (field,) = list_fields(schema)
    assert field.kind == "json"
    with pytest.raises(InvalidEntryError):
        field.parse_entry(entry, "en")
