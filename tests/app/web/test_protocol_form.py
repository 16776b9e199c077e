"""The form of a protocol: which settings it offers, and what is made of what was filled in."""

import asyncio
from typing import Any

import pytest
from moot.app.display import format_money
from moot.app.protocols.registry import get_protocol, map_protocols
from moot.app.run.request import RunRequest
from moot.app.tools.mcp.arguments import build_arguments, map_tool_settings
from moot.app.web.protocol_form import build_protocol_form
from moot.app.web.room import Room
from moot.app.web.start_page import build_form_request
from moot.models.operator_policy import PATH_SETTINGS
from moot.prompts import load_profiles
from moot.state import Prices
from moot.state.errors import InputError

HERE: Any = type("Here", (Room,), {"beyond": False, "__init__": lambda self: None})()
"""A room on this machine."""


def build_request_of_form(name: str, given: dict[str, str], seat_noun: str = "") -> RunRequest:
    """The request that a form makes."""
    return asyncio.run(build_form_request(HERE, get_protocol(name), given, seat_noun))


@pytest.mark.parametrize("name", map_protocols())
def test_no_form_names_a_file_of_this_machine(name: str) -> None:
    assert not {ask.name for ask in build_protocol_form(get_protocol(name)).fields} & {*PATH_SETTINGS, "sources"}


@pytest.mark.parametrize("name", ["debate", "consensus", "panel", "discussion"])
def test_a_rule_that_needs_a_file_is_offered_by_no_form_and_no_tool(name: str) -> None:
    choices = next(ask for ask in build_protocol_form(get_protocol(name)).fields if ask.name == "stop_rule").choices
    assert {"lexical", "declared"} & {*choices}
    assert "calibrated" not in choices
    if name in map_tool_settings():
        assert build_arguments(name)["stop_rule"]["enum"] == list(choices)


ANSWERS = {"option": "option", "{number: kg}": "kg"}


@pytest.mark.parametrize(("written", "meant"), ANSWERS.items())
@pytest.mark.parametrize("name", ["debate", "consensus", "council"])
def test_what_a_run_answers_can_be_written_in_its_form(name: str, written: str, meant: str) -> None:
    given = {"topic": "Which?", "answer": written} | ({"options": "{A: x, B: y}"} if meant == "option" else {})
    answer = build_request_of_form(name, given).settings.answer  # type: ignore[attr-defined]
    assert getattr(answer, "number", answer) == meant


SEATS: list[dict[str, str]] = [{"kind": "person"}, {"model": "rehearsal"}, {"persona": "a pilot"}]


@pytest.mark.parametrize("seat", SEATS, ids=str)
def test_a_seat_without_a_name_is_named_by_its_number_and_an_empty_one_is_left_out(seat: dict[str, str]) -> None:
    given = {"topic": "Which?", "seat.1.name": "Ada", "seat.2.name": "Bo", "seat.3.name": "", "seat.3.kind": "model"}
    assert [participant.name for participant in build_request_of_form("jury", given).input["participants"]] == [
        "Ada",
        "Bo",
    ]
    request = build_request_of_form("jury", given | {f"seat.3.{key}": text for key, text in seat.items()}, "Juror")
    third = request.input["participants"][2].model_dump()
    assert third["name"] == "Juror 3"
    assert {key: third[key] for key in seat} == seat


def test_a_debate_s_form_names_both_seats_and_a_person_has_neither_model_nor_temperature() -> None:
    given = {
        "topic": "Which?",
        "seat.1.name": "",
        "seat.1.temperature": "0.2",
        "seat.2.name": "",
        "synthesizer": "rehearsal",
    }
    request = build_request_of_form(
        "debate", given | {"seat.2.kind": "person", "seat.2.model": "rehearsal", "seat.2.temperature": "1"}
    )
    pro, con = request.input["participants"]
    assert (pro.name, pro.temperature, con.name) == ("PRO", 0.2, "CON")
    assert (con.kind, con.model, con.temperature) == ("person", "", None)
    assert request.settings.models["synthesizer"] == "rehearsal"
    assert not build_request_of_form("debate", {"topic": "Which?", "seat.1.name": "", "seat.2.name": ""}).input.get(
        "participants"
    )
    with pytest.raises(InputError, match=r"seat\.1\.temperature"):
        build_request_of_form("debate", given | {"seat.1.temperature": "hot"})


@pytest.mark.parametrize("name", ["debate", "consensus"])
def test_a_profile_is_one_of_those_whose_roles_the_form_shows(name: str) -> None:
    profile = next(ask for ask in build_protocol_form(get_protocol(name)).fields if ask.name == "profile")
    assert {*profile.choices} - {""} == {*load_profiles(name)} == {*load_profiles(name, "es")}


QUESTIONS = {"Should we move?": "en", "¿Debemos mudarnos?": "es", "要搬家吗？": "zh"}


@pytest.mark.parametrize(("question", "language"), QUESTIONS.items())
def test_a_panel_from_the_form_speaks_the_language_of_its_question_unless_one_is_chosen(
    question: str, language: str
) -> None:
    assert build_request_of_form("panel", {"query": question}).settings.language == language
    chosen = build_request_of_form("panel", {"query": question, "language": "zh"})
    assert chosen.settings.language == "zh"


def test_the_accepted_maximum_is_the_budget_of_the_run_unless_the_form_sets_a_lower_one() -> None:
    given = {"topic": "Which?", "most": "tokens=9000"}
    assert build_request_of_form("debate", given).settings.budget.tokens == 9000
    assert build_request_of_form("debate", given | {"budget.tokens": "5000"}).settings.budget.tokens == 5000
    assert build_request_of_form("debate", {"topic": "Which?"}).settings.budget.tokens is None


@pytest.mark.parametrize(
    ("money", "text"), [(0, "$0.00"), (0.006715, "$0.0067"), (0.5, "$0.50"), (1234.5, "$1,234.50")]
)
def test_money_has_two_decimals_and_below_1_two_digits(money: float, text: str) -> None:
    assert format_money(money, Prices(source="list")) == text
